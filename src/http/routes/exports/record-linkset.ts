import type { Revision } from '../../../core/records/revision.js'
import { type ExportFormat, exportFormats } from '../../../exports/export-formats.js'
import type { LinkContext } from '../../../exports/formats/linkset.js'
import type { PageUrls } from '../../html-pages/page-urls.js'
import { type AdjacentVersions, signpostsOf } from '../../html-pages/signposting.js'

/** The links from the landing page, and the links back to it. @see https://signposting.org/FAIR/ level 2 */
export function linkContextsOf(
  revision: Revision,
  addresses: PageUrls,
  neighbours: AdjacentVersions,
): readonly LinkContext[] {
  const { kind, id, version } = revision
  const page = addresses.page(kind, id, version)
  const back = (rel: string) => [{ rel, href: page, type: 'text/html' }]
  const item = addresses.item(kind, id, version)
  return [
    { anchor: page, links: signpostsOf(revision, addresses, neighbours) },
    // One address serves both the document and the record: `Accept` chooses.
    { anchor: item, links: [...back('collection'), ...back('describes')] },
    ...exportFormats
      .filter(({ name }: ExportFormat) => !name.startsWith('linkset'))
      .map(({ name }) => ({ anchor: addresses.export(kind, id, name, version), links: back('describes') })),
  ]
}
