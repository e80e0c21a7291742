import { words } from '../words.js'
import { LoginOffer } from './login-offer.js'
import { useSession } from './login-session.js'

/** Says that the person may not change a record, and offers to log in. */
export function MayNotWrite() {
  const { token } = useSession()
  return (
    <div class="notice">
      <p>{token === undefined ? words.login.readOnlyOutside : words.login.readOnly}</p>
      <LoginOffer />
    </div>
  )
}
