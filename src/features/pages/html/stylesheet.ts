import { createHash } from 'node:crypto'

/*
 * The style of all pages, without fonts, images or scripts. It follows the light or dark setting of the browser. All
 * colours are tokens, whose pairs of text and background have a contrast of 4.5 or more.
 */

const tokens = `
:root { color-scheme: light dark; --text: #1d2422; --dim: #56625e; --back: #fbfaf7; --card: #fff; --soft: #eef2ef; --line: #d3dbd6; --field: #7d8a85; --accent: #0d5c4f; --on-accent: #fff; --band: #0d5c4f; --on-band: #fff; --on-band-dim: #d5ebe5; --head: #ffc145; --link: #0b6154; --mark: #ffe08a; --good: #1c6b35; --warn: #8a3b00; --warn-back: #fff1e2; --place: #b3261e; --land: #cfd9d3; --water: #f1f5f7; --removed: #fde8e6; --added: #e0f3e4; --removed-word: #f6bdb7; --added-word: #a9dcb5; --radius: .4rem }
@media (prefers-color-scheme: dark) { :root { --text: #e3e9e6; --dim: #9fb0a9; --back: #101614; --card: #171f1c; --soft: #1f2a26; --line: #34433d; --field: #64766f; --accent: #7fdcc6; --on-accent: #06231d; --band: #0a2620; --on-band: #eaf6f2; --on-band-dim: #a9cfc4; --link: #7fdcc6; --mark: #4a3b00; --good: #86d6a0; --warn: #ffc48a; --warn-back: #33220f; --place: #ff9d93; --land: #3a4a44; --water: #16201d; --removed: #3b1d1b; --added: #12331f; --removed-word: #70302b; --added-word: #1f5c38 } }
`

const base = `
* { box-sizing: border-box }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); overflow-wrap: anywhere; accent-color: var(--accent) }
.bar, main, footer { max-width: 78rem; margin: 0 auto; padding: 0 1rem }
main { padding-bottom: 3rem }
a { color: var(--link) }
a:focus-visible, input:focus-visible, select:focus-visible, button:focus-visible, summary:focus-visible, textarea:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.skip { position: absolute; left: -100rem }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem; z-index: 1 }
header { background: var(--band); color: var(--on-band) }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; padding-top: .5rem; padding-bottom: .5rem }
header nav { display: flex; flex-wrap: wrap; gap: 0 1rem }
header a { color: var(--on-band); text-decoration: none; padding: .3rem 0; min-height: 2rem; display: inline-flex; align-items: center; gap: .4rem }
header nav a:hover { text-decoration: underline }
header :focus-visible { outline-color: var(--head) }
.session { margin: 0 }
nav + .session { margin-left: auto }
.brand { font-weight: 700; font-size: 1.05rem }
.mark { width: 1.6rem; height: 1.6rem; fill: none; stroke: var(--on-band); stroke-width: 3 }
.mark .commit { fill: var(--on-band); stroke: none }
.mark .head { fill: var(--head); stroke: none }
.icon { width: 1.1em; height: 1.1em; flex: none; vertical-align: -.15em; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }
footer { padding-top: .75rem; padding-bottom: 1.5rem; border-top: 1px solid var(--line); color: var(--dim); font-size: .875rem }
footer a { display: inline-block; padding: .25rem 0 }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 1.25rem 0 .5rem }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 1.75rem 0 .5rem }
h3 { font-size: 1.05rem; margin: 1.25rem 0 .35rem }
h4 { font-size: 1rem; margin: .9rem 0 .25rem; color: var(--dim) }
p, ul, ol { margin: .5rem 0 }
.dim, .hint { color: var(--dim) }
.hint { display: block; font-size: .875rem; line-height: 1.4 }
.notice { padding: .6rem .9rem; border-left: .3rem solid var(--warn); color: var(--warn); background: var(--warn-back); border-radius: 0 var(--radius) var(--radius) 0 }
.notice a { color: inherit }
.good { color: var(--good) }
.prose { max-width: 46rem }
dl { display: grid; grid-template-columns: minmax(7rem, 12rem) minmax(0, 1fr); gap: .35rem 1.25rem; margin: .5rem 0 }
dt { color: var(--dim) }
dd { margin: 0; min-width: 0 }
dd ul, dd ol, td ul { margin: 0; padding-left: 1.1rem }
dd p:first-child, td p:first-child { margin-top: 0 }
code, pre, .mono { font: .875rem/1.45 ui-monospace, Consolas, monospace }
pre { margin: .5rem 0; padding: .75rem; background: var(--soft); border: 1px solid var(--line); border-radius: var(--radius); overflow: auto; max-height: 36rem; white-space: pre-wrap }
pre.lines { counter-reset: line }
pre.lines span { display: block; position: relative; padding-left: 3.5em; min-height: 1.45em }
pre.lines span::before { counter-increment: line; content: counter(line); position: absolute; left: 0; width: 2.75em; text-align: right; color: var(--dim); user-select: none }
table { border-collapse: collapse; width: 100% }
th, td { overflow-wrap: break-word; text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums }
th { color: var(--dim); font-weight: 600; font-size: .875rem }
thead th { vertical-align: bottom }
th a { display: inline-block; padding: .15rem 0; min-height: 1.5rem }
.wide { overflow-x: auto; max-width: 100% }
/* A shadow at the side on which more of a table is. What moves with the table hides it there. */
.drawn .wide { background: linear-gradient(to right, var(--card) 50%, transparent) left / 2rem 100% no-repeat local, linear-gradient(to left, var(--card) 50%, transparent) right / 2rem 100% no-repeat local, linear-gradient(to right, var(--line), transparent) left / .6rem 100% no-repeat, linear-gradient(to left, var(--line), transparent) right / .6rem 100% no-repeat }
.wide td { min-width: 5rem; max-width: 26rem }
summary { cursor: pointer; min-height: 1.5rem; padding: .15rem 0 }
details > summary { color: var(--link) }
.hint > summary { color: inherit; padding: 0 }
form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end }
label { display: block; flex: 1 1 14rem; color: var(--dim) }
input, select, button { font: inherit; color: inherit; width: 100%; min-height: 2.25rem; padding: .35rem .6rem; background: var(--card); border: 1px solid var(--field); border-radius: var(--radius) }
button { width: auto; cursor: pointer }
.search { flex: 1 1 10rem; flex-wrap: nowrap; gap: .5rem; max-width: 30rem; margin-left: auto }
.search input { background: var(--card); color: var(--text) }
.search button { flex: none; white-space: nowrap; color: var(--text) }
.button { display: inline-flex; align-items: center; gap: .45rem; min-height: 2.25rem; padding: .3rem .8rem; border: 1px solid var(--field); border-radius: var(--radius); text-decoration: none; background: var(--card) }
.button.main { background: var(--accent); color: var(--on-accent); border-color: var(--accent) }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; margin: .75rem 0 }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
.tag { display: inline-block; padding: 0 .5rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .875rem; background: var(--card) }
mark { color: inherit; background: var(--mark); font-weight: 600; border-radius: .15rem }
.pager { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0; align-items: center }
.pager a:not(.button) { display: inline-block; padding: .2rem 0 }
.empty { padding: 1rem 1.25rem; border: 1px dashed var(--line); border-radius: var(--radius); background: var(--card) }
`

const record = `
.kind { display: flex; align-items: center; gap: .4rem; margin: 1.25rem 0 0; color: var(--dim) }
.kind + h1 { margin-top: .15rem }
.lead { margin: .35rem 0 }
.record { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 2.5rem }
.side { font-size: .9375rem }
.side section, .panel { background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); padding: .25rem 1rem .75rem; margin: 1rem 0 }
.side h2, .panel h2 { font-size: 1rem; margin: .6rem 0 .4rem }
.side dl { grid-template-columns: minmax(0, 1fr); gap: 0 }
.side dd { margin-bottom: .55rem }
.side dl > dd:last-child { margin-bottom: 0 }
.side li > a:only-child, .side dd > a { display: inline-block; padding: .1rem 0 }
.side .plain { list-style: none; padding: 0; margin: 0 }
.side .plain a { min-height: 1.6rem; display: inline-flex; gap: .45rem; align-items: baseline }
@media (min-width: 62rem) { .jumps { display: none } .record { grid-template-columns: minmax(0, 1fr) 21rem } }
.drawn { background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); padding: .5rem 1.25rem 1rem; margin: .75rem 0 }
.drawn .group > .group, .drawn li > .group { margin-left: .1rem }
.drawn h3 { border-top: 1px solid var(--line); padding-top: .75rem }
.drawn > h3:first-child, .drawn > section:first-child > h3 { border-top: 0; padding-top: 0 }
.drawn details.group { border-left: 2px solid var(--line); padding-left: .75rem; margin: .4rem 0 }
.entries { padding-left: 1.25rem }
.entries > li { border-top: 1px solid var(--line); padding: .35rem 0 }
.entries > li:first-child { border-top: 0 }
.drawn tr:last-child > td { border: 0 }
.fact { display: inline-block; margin-right: .75rem }
.before-facts { margin-right: .75rem }
.record > div > .prose:first-child { margin-top: 1rem }
.place { margin: .4rem 0; max-width: 24rem }
.place svg { display: block; width: 100%; background: var(--water); border: 1px solid var(--line); border-radius: var(--radius) }
.place .land { fill: var(--land) }
.place .grid { fill: none; stroke: var(--line); stroke-width: .4 }
.place .area, .place .dot { fill: var(--place); fill-opacity: .45; stroke: var(--place); stroke-width: 1 }
.place .ring { fill: none; stroke: var(--place); stroke-width: 1.5 }
.place figcaption { font-size: .875rem; color: var(--dim) }
.tree { list-style: none; margin: .25rem 0; padding: 0 }
.tree .tree { border-left: 2px solid var(--line); padding-left: .9rem; margin-left: .1rem }
.tree > li { padding: .3rem 0 }
.tree .name { font-weight: 600 }
.tree code { color: var(--dim) }
.tree .same { display: inline-block; padding: .1rem 0 }
.tree :target, details:target { background: var(--mark) }
.as-text { margin: .75rem 0 }
.diff :is(del, ins, span) { display: block; min-height: 1.45em; text-decoration: none }
.diff del { background: var(--removed) }
.diff ins { background: var(--added) }
@media (max-width: 36rem) { .numbers a { padding: .35rem .8rem } dl { grid-template-columns: minmax(0, 1fr); gap: 0 } dd { margin-bottom: .55rem } .drawn { padding: .25rem .85rem .75rem } h1 { font-size: 1.4rem; margin-top: .75rem } }
`

const lists = `
.numbers { display: flex; flex-wrap: wrap; gap: .75rem; padding: 0; margin: .75rem 0; list-style: none }
.numbers a { display: block; padding: .6rem 1.1rem; background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); text-decoration: none }
.numbers strong { display: block; font-size: 1.5rem; line-height: 1.2; color: var(--text) }
.board { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 2.5rem }
@media (min-width: 58rem) { .board { grid-template-columns: minmax(0, 1fr) 22rem } }
.feed, .records { list-style: none; padding: 0 }
.feed li, .records li { padding: .55rem 0; border-bottom: 1px solid var(--line) }
.feed p, .records p { margin: 0 }
.feed p a { padding: .2rem 0 }
.records p > a, .records h2 > a { display: inline-block; padding: .1rem 0 }
.records h2 { font-size: 1rem; font-weight: inherit; line-height: inherit; margin: 0 }
.filter { padding: .75rem; background: var(--soft); border-radius: var(--radius); margin: .75rem 0 }
.dense { font-size: .9375rem }
.list :is(th, td) { vertical-align: baseline }
.list td > a { baseline-source: first }
.list td:first-child { min-width: 14rem; overflow-wrap: anywhere }
.list td.mono { min-width: 8rem; overflow-wrap: anywhere }
.list td:nth-child(3):not(.version) { min-width: 8rem }
.list td:last-child { white-space: nowrap }
.dense td > a { display: inline-block; padding: .1rem 0 }
.when { white-space: nowrap }
.beginning, .keywords { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 1; overflow: hidden; font-size: .875rem; overflow-wrap: anywhere }
.keywords .tag { font-size: .8125rem; line-height: 1.35 }
.tags { display: flex; flex-wrap: wrap; gap: .5rem; list-style: none; padding: 0 }
.tags a { padding: .15rem .7rem; text-decoration: none }
.facets { margin: .5rem 0 1rem }
.facets h2 { font-size: .9375rem; margin: .9rem 0 .25rem }
.facets ul { list-style: none; padding: 0; margin: 0 }
.facets li a { display: flex; gap: .5rem; align-items: start; min-height: 1.75rem; padding: .2rem 0; text-decoration: none }
.facets li a[aria-current] { font-weight: 600 }
.facets .count { flex: none; white-space: nowrap; margin-left: auto; color: var(--dim); font-variant-numeric: tabular-nums; font-weight: 400 }
@media (min-width: 60rem) {
.found { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 2rem; align-items: start }
.found > :only-child { grid-column: 1 / -1 }
@supports selector(::details-content) { .facets > summary { display: none } .facets::details-content { content-visibility: visible; block-size: auto } }
}
`

/** A row of a table becomes a block. The headings of a list stay where they sort it. */
const narrow = `
@media (max-width: 40rem) {
.search { max-width: none; flex-basis: 100% }
.bar > .brand { order: -2 }
.bar > .session { order: -1; margin-left: auto }
header nav { flex: 1 0 100%; min-width: 0 }
.stacked, .stacked :is(tbody, tr, td) { display: block }
.stacked thead { display: none }
.stacked tr { padding: .5rem 0; border-bottom: 1px solid var(--line) }
.stacked td { width: auto; min-width: 0; max-width: none; overflow-wrap: anywhere; padding: .15rem 0; border: 0 }
.stacked td:empty { display: none }
.stacked td[data-label]::before { content: attr(data-label); display: block; font-size: .875rem; color: var(--dim) }
.list td:nth-child(n) { min-width: 0 }
.list thead { display: block }
.list thead tr { display: flex; flex-wrap: wrap; gap: 0 1.25rem; padding: 0 }
.list th { border: 0 }
.list th:not(:has(:is(a, button))), .list td:nth-child(2) { display: none }
.list td:nth-child(n + 3), .versions td:nth-child(-n + 3) { display: inline; font-size: .875rem; color: var(--dim) }
.stacked .when, .list td:last-child { white-space: normal }
.list td:nth-child(n + 4)::before, .versions td:nth-child(n + 2):nth-child(-n + 3)::before { content: " · " }
.list td.version:nth-child(3)::before { content: "v" }
.list td.version:nth-child(4)::before { content: " · v" }
}
`

/** What one touches is 44 pixels high. Links in sentences are as high as their lines. */
const touch = `
@media (pointer: coarse) {
button, input, select, .button, summary, .facets label, .choice { min-height: 2.75rem }
header a, .pager a, th a, .dense td:first-child > a, .side .plain a, .tags a, .facets li a, .records h2 > a { display: inline-flex; align-items: center; gap: .3rem; min-height: 2.75rem }
.facets li a { display: flex }
summary { padding-top: .6rem; padding-bottom: .6rem }
}
`

export const stylesheet = `${tokens}${base}${record}${lists}${narrow}${touch}`

/** The hash of the style of all pages, as policies name it. */
export const stylesheetHash = `'sha256-${createHash('sha256').update(stylesheet).digest('base64')}'`

/** Pages load and run nothing, and browsers do not show them in frames. The hash allows the style sheet in the page. */
export const pageContentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${stylesheetHash}`,
  "img-src 'self'", // The icon.
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
