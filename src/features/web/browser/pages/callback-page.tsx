import { useEffect, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter'
import { loginOptions } from '../login/login-session.js'
import { finishLogin } from '../login/openid-login.js'
import { applicationPath, returnAddress } from '../login/return-address.js'
import { LoginFailure, tryToken } from '../login/try-token.js'
import { FailureMessage } from '../parts/failure-message.js'
import { PageFrame } from '../parts/page-frame.js'
import { peopleWords } from '../words-of-people.js'

/** The page to which the issuer sends the window back. It goes on to where one was, and leaves no trace in the history. */
export function CallbackPage() {
  const [, navigate] = useLocation()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    const answer = new URLSearchParams(location.search)
    // Neither the address nor the history keeps the code.
    history.replaceState(null, '', `${applicationPath}/callback`)
    finish(answer).then(
      from => navigate(from, { replace: true }),
      (failure: unknown) => setError(failure),
    )
  }, [navigate])
  return (
    <PageFrame title={peopleWords.login.title}>
      {error === undefined ? (
        <p role="status">{peopleWords.login.finishing}</p>
      ) : (
        <>
          <FailureMessage error={error} />
          <p>
            <Link href="/login" replace>
              {peopleWords.login.again}
            </Link>
          </p>
        </>
      )}
    </PageFrame>
  )
}

/** @returns the page to go back to */
async function finish(answer: URLSearchParams): Promise<string> {
  const { issuer, clientId, scopes } = loginOptions
  if (issuer === undefined || clientId === undefined || !scopes)
    throw new LoginFailure(peopleWords.login.notBegun)
  const { token, isKept, from } = await finishLogin({ issuer, clientId, scopes }, answer)
  await tryToken(token, isKept)
  return returnAddress(from) ?? '/login'
}
