import type { DataCiteDocument } from '../../../core/records/datacite-document.js'
import type { Revision } from '../../../core/records/revision.js'
import type { PageUrls } from '../../../http/page-urls/page-urls.js'
import { type ExportFormat, exportFormats } from '../export-formats.js'
import type { LinkContext } from '../formats/linkset.js'
import { type AdjacentVersions, signpostsOf } from './signposting.js'

/**
 * The links from the landing page, and the links back to it. The page of the newest revision has two addresses: one
 * with the version, and one without, to which a persistent identifier leads. Clients look for the links of the address
 * from which they come, so each of the two has them.
 * @see RFC 9264 §4.2; https://signposting.org/FAIR/ level 2
 */
export function linkContextsOf(
  revision: Revision,
  addresses: PageUrls,
  neighbours: AdjacentVersions,
  document?: DataCiteDocument,
): readonly LinkContext[] {
  const { kind, id, version } = revision
  const isNewest = neighbours.next === undefined && !revision.unserved
  const pages = [addresses.page(kind, id, version), ...(isNewest ? [addresses.page(kind, id)] : [])]
  const back = (rel: string) => pages.map(href => ({ rel, href, type: 'text/html' }))
  const item = addresses.item(kind, id, version)
  const links = signpostsOf(revision, addresses, neighbours, document)
  return [
    ...pages.map(anchor => ({ anchor, links })),
    // One address serves both the document and the record: `Accept` chooses.
    { anchor: item, links: [...back('collection'), ...back('describes')] },
    ...exportFormats
      .filter(({ name }: ExportFormat) => !name.startsWith('linkset'))
      .map(({ name }) => ({ anchor: addresses.export(kind, id, name, version), links: back('describes') })),
  ]
}
