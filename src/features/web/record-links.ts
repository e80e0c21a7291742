import { collectionNames } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import { html } from '../../http/html-template.js'
import type { PageSection } from '../../http/route-context.js'
import type { PageAction } from '../pages/html/html-layout.js'

/** What the dashboard and the list of documents offer. */
export const pageActions: readonly PageAction[] = [
  { adds: 'metadata', path: 'app/new', text: 'New document', icon: 'plus' },
]

/**
 * The section of the page of a record with links into the application. They are relative to that page, which is directly
 * below the mount.
 */
export function recordLinks({ kind, id, version }: Revision): PageSection {
  const address = `app/${collectionNames[kind]}/${encodeURIComponent(id)}`
  const links = [
    ...(kind === 'metadata'
      ? [
          [`${address}/edit`, 'Edit'],
          [`app/new?from=${encodeURIComponent(id)}`, 'New document from this one'],
        ]
      : [[`app/new?schema=${encodeURIComponent(id)}`, 'New document of this schema']]),
    [`${address}/versions`, 'Versions'],
    ...(version > 1 ? [[`${address}/compare?from=${version - 1}&to=${version}`, 'Compare']] : []),
    [`${address}/blame?version=${version}`, 'Who changed what'],
    [`${address}/access`, 'Rights and state'],
  ]
  return {
    id: 'application',
    title: 'History and changes',
    content: html`<p class="pager">${links.map(([href = '', text]) => html`<a href="${href}">${text}</a>\n`)}</p>
<p class="dim">These pages need JavaScript.</p>`,
  }
}
