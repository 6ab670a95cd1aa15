# Reads "+ GROUP" and "- GROUP" from the runner. When the runner has ended, for whatever reason, this
# script ends the groups that are left.
groups=" "
while read -r sign group; do
    case $sign in
    +) groups="$groups$group " ;;
    -) groups="${groups%% "$group" *} ${groups#* "$group" }" ;;
    esac
done
for group in $groups; do kill -TERM "-$group" 2>/dev/null; done # dash does not accept `--` here
[ "$groups" = " " ] || sleep 3
for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
