import { createHash } from 'node:crypto'

/** The style of all pages, without fonts, images or scripts. It follows the light or dark setting of the browser. */
export const stylesheet = `
:root { color-scheme: light dark; --text: #1c2126; --dim: #59636e; --back: #fff; --soft: #f3f5f7; --line: #d5dbe1; --link: #0b57a4; --mark: #ffe08a; --warn: #8a3b00; --warn-back: #fff3e6 }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ec; --dim: #9aa5b1; --back: #14181c; --soft: #1e242a; --line: #38424c; --link: #7db7f5; --mark: #443600; --warn: #ffc48a; --warn-back: #33220f } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 60rem; padding: 0 1rem 3rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); overflow-wrap: anywhere }
a { color: var(--link) }
a:focus-visible, input:focus-visible, button:focus-visible, summary:focus-visible, pre:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.skip { position: absolute; left: -100rem }
.skip:focus { left: 1rem; top: .5rem; background: var(--back); padding: .5rem }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1.25rem; padding: .75rem 0; border-bottom: 1px solid var(--line) }
header nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem }
header a { padding: .25rem 0 }
footer { margin-top: 3rem; padding-top: .75rem; border-top: 1px solid var(--line); color: var(--dim); font-size: .875rem }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1.5rem 0 .5rem }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
p, ul, ol { margin: .5rem 0 }
.dim { color: var(--dim) }
.notice { padding: .6rem .9rem; border-left: .3rem solid var(--warn); color: var(--warn); background: var(--warn-back) }
.prose { white-space: pre-line; max-width: 42rem }
dl { display: grid; grid-template-columns: minmax(8rem, 13rem) 1fr; gap: .35rem 1.25rem; margin: .5rem 0 }
dt { color: var(--dim) }
dd { margin: 0; min-width: 0 }
dd ul, dd ol { margin: 0; padding-left: 1.1rem }
@media (max-width: 36rem) { dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .6rem } }
code, pre, .mono { font: .875rem/1.45 ui-monospace, Consolas, monospace }
pre { margin: .5rem 0; padding: .75rem; background: var(--soft); border: 1px solid var(--line); border-radius: .3rem; overflow: auto; max-height: 32rem; white-space: pre-wrap }
pre.lines { counter-reset: line }
pre.lines span { display: block; position: relative; padding-left: 4em; min-height: 1.45em }
pre.lines span::before { counter-increment: line; content: counter(line); position: absolute; left: 0; width: 3em; text-align: right; color: var(--dim); user-select: none }
table { border-collapse: collapse; width: 100% }
th, td { overflow-wrap: break-word; text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums }
th { color: var(--dim); font-weight: normal }
.records { list-style: none; padding: 0 }
.records li { padding: .5rem 0; border-bottom: 1px solid var(--line) }
.records p { margin: 0 }
.pager { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0 }
form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; padding: .75rem; background: var(--soft); border-radius: .3rem }
label { display: block; flex: 1 1 14rem; color: var(--dim) }
input, button { font: inherit; color: inherit; width: 100%; padding: .4rem .6rem; background: var(--back); border: 1px solid var(--line); border-radius: .3rem }
button { width: auto; cursor: pointer }
.search { flex: 1 1 14rem; flex-wrap: nowrap; gap: .5rem; max-width: 28rem; margin-left: auto; padding: 0; background: none }
.search button { flex: none; white-space: nowrap }
.button { display: inline-block; padding: .4rem .8rem; border: 1px solid var(--line); border-radius: .3rem; text-decoration: none; background: var(--soft) }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
.tags { display: flex; flex-wrap: wrap; gap: .5rem; list-style: none; padding: 0 }
.tags a { padding: .15rem .7rem; text-decoration: none }
mark { color: inherit; background: var(--mark); font-weight: 600; border-radius: .15rem }
.facets { margin: .5rem 0 1rem }
.facets summary { padding: .4rem 0; cursor: pointer }
.facets h2 { font-size: 1rem; margin: .75rem 0 .25rem }
.facets ul { list-style: none; padding: 0 }
.facets li { padding: .15rem 0 }
.facets li a { text-decoration: none }
@media (min-width: 52rem) {
.found { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 2rem; align-items: start }
.found > :only-child { grid-column: 1 / -1 }
@supports selector(::details-content) { .facets summary { display: none } .facets::details-content { content-visibility: visible; block-size: auto } }
}
.tag { display: inline-block; padding: 0 .5rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .875rem }
`

/** Pages load and run nothing, and browsers do not show them in frames. The hash allows the style sheet in the page. */
export const pageContentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(stylesheet).digest('base64')}'`,
  "img-src 'self'", // The icon.
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
