import { permissionsBySubject, subjectInWords } from '../access/access-edits.js'
import type { MetastoreRecord } from '../api/records.js'
import { peopleWords } from '../words-of-people.js'

/** Names who may change a record, as far as the access list is told. @param props.record undefined: it was not read */
export function WhoMayWrite({ record }: { readonly record: MetastoreRecord | undefined }) {
  const writers = [...permissionsBySubject(record?.acls ?? [])]
    .filter(([, permission]) => permission === 'WRITE' || permission === 'ADMINISTRATE')
    .map(([sid]) => subjectInWords(sid))
  if (!record) return <p>{peopleWords.login.notTold}</p>
  return (
    <p dir="auto">
      {writers.length === 0 ? peopleWords.login.administrators : peopleWords.login.whoMay(writers)}
    </p>
  )
}
