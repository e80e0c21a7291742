import { lazy, Suspense } from 'preact/compat'
import { useState } from 'preact/hooks'
import { words } from '../words.js'
import { loginOptions, useSession } from './login-session.js'

/** The ways to log in are a script of their own. */
const LoginDialog = lazy(async () => ({ default: (await import('./login-dialog.js')).LoginDialog }))

/** A button that opens the ways to log in over the page. Nothing if somebody is logged in, or if the server asks nobody to. */
export function LoginOffer() {
  const { token } = useSession()
  const [isOpen, setIsOpen] = useState(false)
  if (!loginOptions.tokens || token !== undefined) return null
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        {words.login.logIn}
      </button>
      {isOpen && (
        <Suspense fallback={<span role="status">{words.loading}</span>}>
          <LoginDialog close={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
