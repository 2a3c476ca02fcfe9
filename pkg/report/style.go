package report

// style is the page's look: one column that fits a phone, light or dark as the reader's system is,
// and a mark on whatever the keyboard has reached.
const style = `:root{color-scheme:light dark;--ink:#1d2430;--dim:#58626f;--paper:#fff;--card:#f3f5f8;--line:#d5dbe3;--link:#0b57d0;--nit:#4a6078;--concern:#8a5300;--blocker:#b3261e;--wake:#6f3cc4;--bar:#7c9cc9}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8ee;--dim:#a3adba;--paper:#14181e;--card:#1e242d;--line:#39424f;--link:#8ab4f8;--nit:#9db4cf;--concern:#f0b35c;--blocker:#ff8a80;--wake:#c3a6ff;--bar:#5476a8}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:1rem;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);overflow-wrap:anywhere}
h1{font-size:1.6rem;margin:.5rem 0}h2{font-size:1.25rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}h3{font-size:1rem}
a{color:var(--link)}nav a{display:inline-block;padding:.3rem .6rem .3rem 0}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;background:var(--paper);padding:.5rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
code{font-family:ui-monospace,monospace;font-size:.9em}
.more,.about,footer{color:var(--dim);font-size:.9rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(9.5rem,100%),1fr));gap:.75rem;margin:0}
.cards div{background:var(--card);border-radius:.5rem;padding:.75rem}
dt{color:var(--dim);font-size:.9rem}dd{margin:0;font-size:1.5rem;font-weight:600}dd.more{font-size:.85rem;font-weight:400}
ol{list-style:none;margin:0;padding:0;border-left:2px solid var(--line)}
li{padding:.35rem 0 .35rem .9rem}li p{margin:.25rem 0}
li.human{border-top:1px solid var(--line);margin-top:.5rem}
li.note{background:var(--card);border-radius:0 .5rem .5rem 0;margin:.25rem 0;padding-right:.75rem}
li.kept{background:none}
time{color:var(--dim);font-size:.85rem;font-variant-numeric:tabular-nums}
.tag{white-space:nowrap;border:1px solid;border-radius:1rem;padding:0 .55rem;font-size:.85rem;font-weight:600;color:var(--dim)}
.nit{color:var(--nit)}.concern{color:var(--concern)}.blocker{color:var(--blocker)}.wake{color:var(--wake)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{overflow-wrap:normal;text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400}
thead th{color:var(--dim);font-size:.9rem}.n{text-align:right;font-variant-numeric:tabular-nums}
.bar{display:block;min-width:2px;height:.8rem;background:var(--bar);border-radius:.2rem}td:has(.bar){min-width:6rem}
@media print{.skip,nav{display:none}}`
