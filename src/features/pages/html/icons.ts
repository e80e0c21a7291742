import { type Html, html } from '../../../http/html-template.js'

/*
 * The mark of the program and the icons of the pages: small drawings of lines in the colour of the text. They are beside
 * words, so programs that read pages aloud pass over them.
 */

const icons = {
  document: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  schema: 'M9 3H7v7l-3 2 3 2v7h2M15 3h2v7l3 2-3 2v7h-2',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 21 21',
  download: 'M12 3v12M7 10l5 5 5-5M4 20h16',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 21c0-5 4-7 8-7s8 2 8 7',
  versions: 'M12 3a9 9 0 1 0 9 9M12 7v5l4 2M21 3v5h-5',
  plus: 'M12 4v16M4 12h16',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  code: 'M8 6l-6 6 6 6M16 6l6 6-6 6',
  quote: 'M4 7h6v6a5 5 0 0 1-5 5M14 7h6v6a5 5 0 0 1-5 5',
  check: 'M4 13l5 5L20 6',
  warning: 'M12 3 2 20h20zM12 10v5M12 17.500v.01',
} as const

export type IconName = keyof typeof icons

export function icon(name: IconName): Html {
  return html`<svg class="icon" viewbox="0 0 24 24" aria-hidden="true"><path d="${icons[name]}"></path></svg>`
}

/** The colours of the mark: its background, and its lines. */
export const markColours = { back: '#0d5c4f', lines: '#ffffff', head: '#ffc145' }

/** Where the commits of the mark are: a branch of three commits, the newest on top. */
export const markShapes = {
  lines: 'M10.5 8v16M22.5 12.500l-12 8',
  commits: [
    [10.5, 7.5],
    [10.5, 24.5],
  ],
  head: [22.5, 12.5],
} as const

/** The mark for the header of pages. */
export const mark = html`<svg class="mark" viewbox="0 0 32 32" aria-hidden="true"><path class="lines" d="${markShapes.lines}"></path>${markShapes.commits.map(([x, y]) => html`<circle class="commit" cx="${x}" cy="${y}" r="4"></circle>`)}<circle class="head" cx="${markShapes.head[0]}" cy="${markShapes.head[1]}" r="4"></circle></svg>`
