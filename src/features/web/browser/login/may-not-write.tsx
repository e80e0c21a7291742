import type { RecordName } from '../api/records.js'
import { useRecord } from '../parts/use-record.js'
import { peopleWords } from '../words-of-people.js'
import { LoginOffer } from './login-offer.js'
import { useSession } from './login-session.js'
import { WhoMayWrite } from './who-may-write.js'

/** Says that the person may not change a record, and who may, and offers to log in. */
export function MayNotWrite(name: RecordName) {
  const { token } = useSession()
  const { data } = useRecord(name)
  return (
    <div class="notice">
      <p>{token === undefined ? peopleWords.login.readOnlyOutside : peopleWords.login.readOnly}</p>
      {data && <WhoMayWrite record={data.record} />}
      <LoginOffer />
    </div>
  )
}
