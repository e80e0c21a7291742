import { useEffect } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter'
import type { Caller } from '../api/interface-types.js'
import { LoginForm } from '../login/login-form.js'
import { loginOptions, useSession } from '../login/login-session.js'
import { returnAddress } from '../login/return-address.js'
import { PageFrame } from '../parts/page-frame.js'
import { Time } from '../parts/time.js'
import { peopleWords } from '../words-of-people.js'

/** Logs in, and then goes back to where one was. Logged in, it shows who one is. */
export function LoginPage() {
  const { caller } = useSession()
  const search = new URLSearchParams(useSearch())
  const from = returnAddress(search.get('from'))
  const [, navigate] = useLocation()
  useEffect(() => {
    if (caller && from !== undefined) navigate(from, { replace: true })
  }, [caller, from, navigate])
  if (caller)
    return (
      <PageFrame key="inside" title={peopleWords.login.titleInside}>
        <AboutCaller {...caller} />
      </PageFrame>
    )
  return (
    <PageFrame key="outside" title={peopleWords.login.title}>
      {search.has('out') && <p role="status">{peopleWords.login.loggedOut}</p>}
      {loginOptions.tokens ? (
        <>
          <p>{peopleWords.login.explain}</p>
          <LoginForm from={from ?? '/login'} />
        </>
      ) : (
        <p>{peopleWords.login.notNeeded}</p>
      )}
    </PageFrame>
  )
}

function AboutCaller({ name, displayName, groups, administrator, creates, until }: Caller) {
  return (
    <dl>
      <dt>{peopleWords.login.who}</dt>
      <dd dir="auto">{peopleWords.login.asWhom(displayName, name)}</dd>
      {groups.length > 0 && (
        <>
          <dt>{peopleWords.login.groups}</dt>
          <dd dir="auto">{groups.join(', ')}</dd>
        </>
      )}
      <dt>{peopleWords.login.rights}</dt>
      <dd>
        {administrator
          ? peopleWords.login.administrator
          : peopleWords.login[creates ? 'creates' : 'noCreates']}
      </dd>
      {until !== undefined && (
        <>
          <dt>{peopleWords.login.valid}</dt>
          <dd>
            {peopleWords.login.until} <Time instant={until} />
          </dd>
        </>
      )}
    </dl>
  )
}
