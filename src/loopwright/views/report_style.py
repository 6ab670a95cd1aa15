"""The style of the HTML report, for screen and print, in both themes."""

STYLE = """
:root{--g:#f6f6f3;--s:#fff;--i:#1d1f24;--m:#5d626d;--l:#e3e2dc;--a:#3556c8;--as:#e9edfb;
--ok:#1f7a45;--oks:#e3f3e8;--b:#b3261e;--bs:#fbe9e7;--w:#8a5200;--ws:#fdf1dc;color-scheme:light}
@media(prefers-color-scheme:dark){:root{--g:#111318;--s:#191c22;--i:#e7e8ec;--m:#a3a8b4;--l:#2b2f38;
--a:#93a9ff;--as:#232a44;--ok:#71d196;--oks:#16301f;--b:#ff9489;--bs:#3a1c1a;--w:#f0b964;
--ws:#35270f;color-scheme:dark}}
*{box-sizing:border-box}
body{margin:0;background:var(--g);color:var(--i);font:15px/1.5 ui-sans-serif,system-ui,sans-serif}
main{max-width:1000px;margin:0 auto;padding:28px 20px 60px}
h1{font-size:24px;line-height:1.25;margin:0 0 10px;overflow-wrap:anywhere}
h2{font-size:18px;margin:26px 0 10px;overflow-wrap:anywhere}h3{font-size:15px;margin:22px 0 8px}
article{margin-top:18px}
article+article,h1+p+div+article{border-top:1px solid var(--l);padding-top:8px}
.muted{color:var(--m);font-size:13px;overflow-wrap:anywhere}.outcome{font-size:16px}
.pill{display:inline-block;border-radius:99px;padding:1px 11px;font-size:12.5px;font-weight:600;
background:var(--l)}.pill-good{background:var(--oks);color:var(--ok)}
.pill-waits{background:var(--ws);color:var(--w)}.pill-work{background:var(--as);color:var(--a)}
.question{border-left:4px solid var(--w);background:var(--ws);padding:10px 14px;border-radius:8px;
white-space:pre-wrap;overflow-wrap:anywhere}
.danger{color:var(--b);font-weight:650;margin:0 0 6px}.signs{letter-spacing:.08em}
.limits{display:flex;gap:12px;flex-wrap:wrap;margin:14px 0}
.limits div{background:var(--s);border:1px solid var(--l);border-radius:10px;padding:8px 16px}
.limits dt{font-size:12.5px;color:var(--m)}.limits dd{margin:0;color:var(--m)}
.limits b{font-size:18px;color:var(--i)}
.curves{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:14px}
figure{margin:0;background:var(--s);border:1px solid var(--l);border-radius:12px;padding:12px 14px}
figcaption{font-weight:650;font-size:14px}.curve{width:100%;height:auto;overflow:visible}
.grid{stroke:var(--l)}.tick{fill:var(--m);font-size:12px;text-anchor:middle}.tick-y{text-anchor:end}
.line{fill:none;stroke-width:2.5;stroke-linejoin:round}.area{opacity:.13}.dot{stroke:var(--s)}
.curve-cost .line{stroke:var(--a)}.curve-cost .area,.curve-cost .dot{fill:var(--a)}
.curve-bad .line{stroke:var(--b)}.curve-bad .area,.curve-bad .dot{fill:var(--b)}
.curve-good .line{stroke:var(--ok)}.curve-good .area,.curve-good .dot{fill:var(--ok)}
.criterion{background:var(--s);border:1px solid var(--l);border-radius:10px;padding:8px 14px;
margin:8px 0}.criterion p{margin:0;overflow-wrap:anywhere}.sign{font-weight:700}
.met .sign{color:var(--ok)}.earlier .sign{color:var(--m)}
.failed .sign{color:var(--b)}.claimed .sign{color:var(--w)}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:14px}
th,td{text-align:left;padding:5px 12px 5px 0;border-bottom:1px solid var(--l);vertical-align:top}
.lanes{border-collapse:separate;border-spacing:3px}.lanes th,.lanes td{border:0;padding:2px 7px}
.lanes td{text-align:center;border-radius:5px;background:var(--s);color:var(--m)}
.lanes td.good{background:var(--oks);color:var(--ok)}
.lanes td.bad{background:var(--bs);color:var(--b)}
code,pre{font:12.5px/1.5 ui-monospace,Menlo,Consolas,monospace}
pre{background:var(--g);border:1px solid var(--l);border-radius:8px;padding:10px 12px;overflow:auto;
white-space:pre-wrap;overflow-wrap:anywhere;max-height:420px}
details summary{cursor:pointer;color:var(--m);font-size:13px}a{color:var(--a)}
.wave{fill:var(--m);font-size:13px;font-weight:600}.edge{fill:none;stroke:var(--m);opacity:.5}
.edge.critical{stroke:var(--a);stroke-width:2.4;opacity:1}.task rect{fill:var(--s);stroke:var(--l)}
.task.critical rect{stroke:var(--a);stroke-width:1.8}
.task-id{font-size:13px;font-weight:650;fill:var(--i)}
.task-title{font-size:12.5px;fill:var(--m)}.task-done rect{fill:var(--oks)}
.task-working rect{fill:var(--as)}.task-parked rect,.task-failed rect,
.task-blocked rect{fill:var(--bs)}
.overview{table-layout:fixed;width:100%;min-width:640px}.overview td,.overview th{
overflow-wrap:anywhere}.overview .status{width:14%}.overview .project{width:12%}
.overview .shown{width:11%}.overview .few{width:8%}.overview .why{width:25%}
details.loop{border-top:1px solid var(--l);padding:8px 0}details.loop>summary{font-size:14px;
color:var(--i);overflow-wrap:anywhere}h4{font-size:13px;margin:10px 0 4px}
@media(max-width:620px){.overview thead,.overview td:nth-child(4){display:none}
.overview,.overview tbody,.overview tr,.overview th,.overview td{display:block;border:0;min-width:0;
padding:1px 0}
.overview tr{border-bottom:1px solid var(--l);padding:8px 0}
.overview td:nth-child(3),.overview td:nth-child(5){display:inline;padding-right:10px}}
@media print{body{background:#fff}pre{max-height:none}}
"""
