import type { JsonChange } from '../api/interface-types.js'
import type { RecordName } from '../api/records.js'

/** Whether every new version of a record has this change: of its number, its time, and the link to the version before. */
export function isOfEveryVersion(
  { path, value, before }: JsonChange,
  { collection, id }: RecordName,
): boolean {
  if (path === '/version' || path === '/lastUpdate') return true
  const own = `/${collection}/${encodeURIComponent(id)}?version=`
  const isOwn = (each: unknown) => each === undefined || JSON.stringify(each).includes(own)
  return path.startsWith('/relatedIdentifiers/') && isOwn(value) && isOwn(before)
}
