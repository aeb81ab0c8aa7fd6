/**
 * Colours of Okabe and Ito ("Color universal design", 2008), told apart by shape as well, on either ground: the viewer's scheme
 * decides, and a page may set the variables itself.
 */
export const STYLE: string = `
.ts-frontier{--ink:#1f2328;--mute:#59636e;--rule:#d8dee4;--blue:#0072b2;--red:#d55e00;--green:#00745a;font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:12px;max-width:100%;height:auto}
@media (prefers-color-scheme:dark){.ts-frontier{--ink:#e6edf3;--mute:#9aa4af;--rule:#343b44;--blue:#56b4e9;--red:#f0883e;--green:#3fd0a4}}
.ts-frontier .grid{stroke:var(--rule)}
.ts-frontier text{fill:var(--ink)}
.ts-frontier .tick{fill:var(--mute);font-variant-numeric:tabular-nums}
.ts-frontier .axis{fill:var(--mute)}
.ts-frontier .band{fill:var(--blue);fill-opacity:.13}
.ts-frontier .law{stroke:var(--blue);stroke-width:2}
.ts-frontier .law-beyond{stroke:var(--blue);stroke-width:1.5;stroke-dasharray:5 5;stroke-opacity:.75}
.ts-frontier .through{fill:none;stroke:var(--blue);stroke-width:1.5;stroke-opacity:.75}
.ts-frontier .error{stroke:var(--ink);stroke-opacity:.6}
.ts-frontier circle.measured{fill:var(--blue)}
.ts-frontier circle.foretold{fill:none;stroke:var(--blue);stroke-width:1.5}
.ts-frontier .floor{stroke:var(--red);stroke-width:1.5;stroke-dasharray:2 4}
.ts-frontier rect.other{fill:none;stroke:var(--ink);stroke-width:1.5}
.ts-frontier circle.doubtful{fill:none;stroke:var(--mute);stroke-width:2;stroke-dasharray:3 2}
.ts-frontier .beyond-limit{fill:none;stroke:var(--red);stroke-width:2}
.ts-frontier text.beyondLimit{fill:var(--red)}
.ts-frontier text.doubtful,.ts-frontier text.limit{fill:var(--mute)}
.ts-frontier circle.chosen{fill:none;stroke:var(--green);stroke-width:2.5}
.ts-frontier text.chosen{fill:var(--green);font-weight:600}
`.trim()
