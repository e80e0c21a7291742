import { createPortal, lazy, Suspense } from 'preact/compat'
import { useLayoutEffect, useState } from 'preact/hooks'
import { words } from '../words.js'
import { peopleWords } from '../words-of-people.js'
import { loginOptions, useSession } from './login-session.js'

/** The ways to log in are a script of their own. */
const LoginDialog = lazy(async () => ({ default: (await import('./login-dialog.js')).LoginDialog }))

/** The offers of the page, in the order in which they came. Each is told whether it is the first. */
const offers: ((isFirst: boolean) => void)[] = []

/**
 * A button that opens the ways to log in over the page. Nothing if somebody is logged in, if the server asks nobody to, or
 * if another part of the page offers it already.
 */
export function LoginOffer() {
  const { token } = useSession()
  const [isOpen, setIsOpen] = useState(false)
  const isFirst = useIsFirst()
  if (!loginOptions.tokens || token !== undefined || !isFirst) return null
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        {peopleWords.login.logIn}
      </button>
      {/* Inside of a message that is announced, all that is in the dialog would be announced with it. */}
      {isOpen &&
        createPortal(
          <Suspense fallback={<span role="status">{words.loading}</span>}>
            <LoginDialog close={() => setIsOpen(false)} />
          </Suspense>,
          document.body,
        )}
    </>
  )
}

function useIsFirst(): boolean {
  const [isFirst, setIsFirst] = useState(false)
  useLayoutEffect(() => {
    const tellAll = () => {
      for (const [index, tell] of offers.entries()) tell(index === 0)
    }
    offers.push(setIsFirst)
    tellAll()
    return () => {
      offers.splice(offers.indexOf(setIsFirst), 1)
      tellAll()
    }
  }, [])
  return isFirst
}
