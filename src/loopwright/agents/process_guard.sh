# Outlives the runner by a moment: reads "+ GROUP" and "- GROUP" from it, and when nobody is there to write any more,
# however that came, ends the groups that are left.
held=" "
while read -r word group; do
    case $word in
    +) held="$held$group " ;;
    -) held="${held%% "$group" *} ${held#* "$group" }" ;;
    esac
done
for group in $held; do kill -TERM "-$group" 2>/dev/null; done # dash knows no `--` here
[ "$held" = " " ] || sleep 3
for group in $held; do kill -KILL "-$group" 2>/dev/null; done
