import { useEffect } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter'
import type { Caller } from '../api/interface-types.js'
import { LoginForm } from '../login/login-form.js'
import { loginOptions, useSession } from '../login/login-session.js'
import { returnAddress } from '../login/return-address.js'
import { PageFrame } from '../parts/page-frame.js'
import { Time } from '../parts/time.js'
import { words } from '../words.js'

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
      <PageFrame key="inside" title={words.login.titleInside}>
        <AboutCaller {...caller} />
      </PageFrame>
    )
  return (
    <PageFrame key="outside" title={words.login.title}>
      {search.has('out') && <p role="status">{words.login.loggedOut}</p>}
      {loginOptions.tokens ? (
        <>
          <p>{words.login.explain}</p>
          <LoginForm from={from ?? '/login'} />
        </>
      ) : (
        <p>{words.login.notNeeded}</p>
      )}
    </PageFrame>
  )
}

function AboutCaller({ name, displayName, groups, administrator, creates, until }: Caller) {
  return (
    <dl>
      <dt>{words.login.who}</dt>
      <dd dir="auto">{words.login.asWhom(displayName, name)}</dd>
      {groups.length > 0 && (
        <>
          <dt>{words.login.groups}</dt>
          <dd dir="auto">{groups.join(', ')}</dd>
        </>
      )}
      <dt>{words.login.rights}</dt>
      <dd>{administrator ? words.login.administrator : words.login[creates ? 'creates' : 'noCreates']}</dd>
      {until !== undefined && (
        <>
          <dt>{words.login.valid}</dt>
          <dd>
            {words.login.until} <Time instant={until} />
          </dd>
        </>
      )}
    </dl>
  )
}
