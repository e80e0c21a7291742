import type { Revision } from '../../../core/records/revision.js'
import { formatInstant } from '../../../core/value-types.js'
import { provenanceTurtle } from '../../../exports/formats/prov-o.js'
import type { Services } from '../../../service/services.js'
import type { PageUrls } from '../../page-urls/page-urls.js'

/** The history of a record up to a revision, as PROV-O. @param repository name of the repository, if it has one */
export async function provenanceOf(
  { exports }: Pick<Services, 'exports'>,
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
