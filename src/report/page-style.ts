/** The page's own style: no font, no script, nothing from elsewhere; light or dark as the reader's system is; fit to print. */
export const PAGE_STYLE: string = `
:root{color-scheme:light dark;--ground:#fff;--panel:#f6f8fa;--ink:#1f2328;--mute:#59636e;--rule:#d8dee4;--blue:#0072b2;--green:#00745a;--red:#b34700}
@media (prefers-color-scheme:dark){:root{--ground:#0d1117;--panel:#161b22;--ink:#e6edf3;--mute:#9aa4af;--rule:#343b44;--blue:#56b4e9;--green:#3fd0a4;--red:#f0883e}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main,header,footer{max-width:64rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.5rem}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .5rem;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2.6rem 0 .8rem}
p{margin:.5rem 0}
.mute{color:var(--mute)}
.meta{color:var(--mute);font-size:.9rem;margin:0;padding:0;list-style:none;display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;overflow-wrap:anywhere}
.badge{display:inline-block;background:var(--red);color:var(--ground);font-weight:700;font-size:.8rem;letter-spacing:.06em;padding:.15rem .6rem;border-radius:.3rem;margin-bottom:.7rem}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:1rem;margin-top:1.8rem}
.card{background:var(--panel);border:1px solid var(--rule);border-radius:.6rem;padding:1.1rem 1.25rem}
.card h3{margin:0;font-size:.95rem;color:var(--green)}
.card .load{font-size:1.05rem;font-weight:600;margin:.15rem 0 .7rem}
.speeds{display:flex;flex-wrap:wrap;gap:.6rem 1.6rem;margin:0 0 .8rem}
.speeds b{display:block;font-size:1.75rem;line-height:1.1;font-variant-numeric:tabular-nums;letter-spacing:-.02em}
.speeds span{font-size:.85rem;color:var(--mute)}
.card p{font-size:.92rem;margin:0;color:var(--mute)}
figure{margin:1rem 0 0}
figure svg{display:block;width:100%;min-width:35rem}
.wide{display:none;font-size:.82rem;color:var(--mute)}
figcaption{font-size:.88rem;color:var(--mute);margin-top:.4rem}
.equation{font-size:1.25rem;background:var(--panel);border-left:3px solid var(--blue);padding:.7rem 1rem;margin:.8rem 0;font-family:ui-serif,Georgia,"Times New Roman",serif;overflow-x:auto}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:.9rem 1.5rem;margin:1rem 0}
.facts dt{font-size:.85rem;color:var(--mute)}
.facts dd{margin:0;font-size:1.15rem;font-variant-numeric:tabular-nums}
.facts small{display:inline-block;color:var(--mute);font-size:.8rem}
.banner{border:2px solid var(--red);border-radius:.6rem;padding:.8rem 1.1rem;margin:1.6rem 0 0}
.banner b{color:var(--red)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{padding:.4rem .7rem;text-align:right;border-bottom:1px solid var(--rule);white-space:nowrap}
th{font-weight:600;color:var(--mute);vertical-align:bottom;font-size:.82rem}
th:first-child,td:first-child{padding-left:0}
.left{text-align:left;white-space:normal}
tbody tr:hover{background:var(--panel)}
.points th:first-child,.points td:first-child,.worded th:last-child,.worded td:last-child{position:sticky;left:0;right:0;background:var(--ground)}
.points tbody tr:hover td{background:var(--panel)}
.worded td:last-child{min-width:5.6rem;max-width:16rem}
@media (max-width:40rem){.points.worded td:last-child{max-width:7.5rem}.wide{display:block}}
.warn{color:var(--red)}
ol.steps{padding-left:1.4rem;font-variant-numeric:tabular-nums}
ol.steps li{margin:.3rem 0}
ul.warnings{padding-left:1.2rem;font-size:.92rem}
details{border-bottom:1px solid var(--rule);padding:.6rem 0}
summary{cursor:pointer;font-weight:600}
summary span{font-weight:400;color:var(--mute)}
.points th,.points td{padding:.4rem .5rem}
details table{margin:.6rem 0}
pre{background:var(--panel);border:1px solid var(--rule);border-radius:.4rem;padding:.8rem 1rem;overflow-x:auto;font-size:.82rem;white-space:pre-wrap;overflow-wrap:anywhere}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.88em}
footer{color:var(--mute);font-size:.85rem;padding:2.5rem 1.25rem}
@media print{figure svg{min-width:0}.scroll{overflow:visible}details{break-inside:avoid}body{font-size:12px}}
`.trim()
