import { useQueryClient } from '@tanstack/react-query'
import { createPortal } from 'preact/compat'
import { useEffect, useRef } from 'preact/hooks'
import { Link, useLocation } from 'wouter'
import { Time } from '../parts/time.js'
import { peopleWords } from '../words-of-people.js'
import { loginOptions, logOut, useSession } from './login-session.js'
import { currentAddress } from './return-address.js'

/** Who is logged in, until when, and the way out, in the header of the page. Nothing if the server asks nobody to log in. */
export function SessionBar() {
  const header = document.querySelector('header .bar')
  if (!loginOptions.tokens || !header) return null
  return createPortal(<SessionState />, header)
}

function SessionState() {
  const { token, caller, isOver } = useSession()
  // The links of this bar lead back to the page that is shown.
  const [place, navigate] = useLocation()
  useSessionEnd(token)
  if (!caller) {
    const isLogin = place === '/login' || place === '/callback'
    return (
      <p class="session">
        {isOver && peopleWords.login.ended}{' '}
        {!isLogin && (
          <Link href={`/login?from=${encodeURIComponent(currentAddress())}`}>{peopleWords.login.logIn}</Link>
        )}
      </p>
    )
  }
  return (
    <p class="session">
      <Link href="/login" dir="auto">
        {peopleWords.login.asWhom(caller.displayName, caller.name)}
      </Link>{' '}
      {caller.until !== undefined && (
        <>
          {peopleWords.login.until} <Time instant={caller.until} isShort />{' '}
        </>
      )}
      <button
        type="button"
        onClick={() => {
          // The page that is left may show what only the person may read.
          navigate('/login?out', { replace: true })
          logOut()
        }}
      >
        {peopleWords.login.logOut}
      </button>
    </p>
  )
}

/** What was read as somebody else is read anew. What somebody edits stays. */
function useSessionEnd(token: string | undefined): void {
  const queries = useQueryClient()
  const before = useRef(token)
  useEffect(() => {
    if (before.current === token) return
    before.current = token
    queries.removeQueries({ type: 'inactive' })
    void queries.invalidateQueries({
      predicate: ({ queryKey, state }) => queryKey[0] !== 'edited' || state.status === 'error',
    })
  }, [token, queries])
}
