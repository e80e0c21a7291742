import type { Revision } from '../../../core/records/revision.js'
import { formatInstant } from '../../../core/value-types.js'
import type { PageUrls } from '../../../http/page-urls/page-urls.js'
import type { ExportsState } from '../exports.js'
import { provenanceTurtle } from '../formats/prov-o.js'

/** The history of a record up to a revision, as PROV-O. @param repository name of the repository, if it has one */
export async function provenanceOf(
  { exports }: ExportsState,
  revision: Revision,
  addresses: PageUrls,
  repository: string | undefined,
): Promise<string> {
  const { kind, id } = revision
  const changes = await exports.history(revision)
  const latest = changes.at(-1)
  return provenanceTurtle({
    page: addresses.page(kind, id),
    repository: repository ?? '',
    service: 'git-metastore',
    revisions: changes.map(({ version, time, originalTime, schema, revokes, ...change }) => ({
      ...change,
      version,
      page: addresses.page(kind, id, version),
      time: formatInstant(time),
      ...(originalTime !== undefined && { originalTime: formatInstant(originalTime) }),
      ...(schema && { schema: addresses.page('schema', schema.schemaId, schema.version) }),
      isEnd: revokes && change.commit === latest?.commit,
    })),
  })
}
