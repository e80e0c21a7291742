import { useMutation } from '@tanstack/react-query'
import { useId, useRef, useState } from 'preact/hooks'
import { explanationOf } from '../parts/explain-failure.js'
import { peopleWords } from '../words-of-people.js'
import { loginOptions } from './login-session.js'
import { goToIssuer, type IssuerLogin } from './openid-login.js'
import { tryToken } from './try-token.js'

interface Props {
  /** The page to come back to from the issuer. */
  readonly from: string
}

/** The ways to log in that this server has. The token of a person is tried before it is used. */
export function LoginForm({ from }: Props) {
  const [isKept, setIsKept] = useState(false)
  const hint = useId()
  const { issuer, clientId, scopes, paste } = loginOptions
  return (
    <>
      <p>
        <label class="check">
          <input
            type="checkbox"
            checked={isKept}
            aria-describedby={hint}
            onChange={event => setIsKept(event.currentTarget.checked)}
          />{' '}
          {peopleWords.login.keep}
        </label>
        <span id={hint} class="hint">
          {peopleWords.login.keepHint}
        </span>
      </p>
      {issuer !== undefined && clientId !== undefined && scopes && (
        <IssuerButton login={{ issuer, clientId, scopes }} {...{ isKept, from }} />
      )}
      {paste && <TokenForm isKept={isKept} />}
    </>
  )
}

function IssuerButton({
  login,
  isKept,
  from,
}: Props & { readonly login: IssuerLogin; readonly isKept: boolean }) {
  const { host } = new URL(login.issuer)
  const going = useMutation({ mutationFn: () => goToIssuer(login, isKept, from) })
  if (!isSecureContext) return <p class="notice">{peopleWords.login.insecure}</p>
  return (
    <>
      {going.error && <Failure error={going.error} />}
      <p>
        <button type="button" class="button main" disabled={going.isPending} onClick={() => going.mutate()}>
          {going.isPending ? peopleWords.login.goingTo(host) : peopleWords.login.atIssuer(host)}
        </button>
        <span class="hint">{peopleWords.login.leaves}</span>
      </p>
    </>
  )
}

function TokenForm({ isKept }: { readonly isKept: boolean }) {
  const field = useRef<HTMLInputElement>(null)
  const hint = useId()
  const trying = useMutation({ mutationFn: () => tryToken(field.current?.value ?? '', isKept) })
  function submit(event: Event) {
    event.preventDefault()
    if (!trying.isPending) trying.mutate()
  }
  return (
    <form class="plain" onSubmit={submit}>
      <h2>{peopleWords.login.paste}</h2>
      {trying.error && <Failure error={trying.error} />}
      <label>
        {peopleWords.login.token}
        {/* Neither the history of forms nor a spelling service gets the token. */}
        <input
          ref={field}
          class="mono"
          autocomplete="off"
          spellcheck={false}
          required
          aria-describedby={hint}
        />
      </label>
      <span id={hint} class="hint">
        {peopleWords.login.tokenHint}
      </span>
      <p>
        <button type="submit" class="button main" aria-disabled={trying.isPending}>
          {trying.isPending ? peopleWords.login.trying : peopleWords.login.use}
        </button>
      </p>
    </form>
  )
}

function Failure({ error }: { readonly error: unknown }) {
  return (
    <p role="alert" class="notice">
      {explanationOf(error)}
    </p>
  )
}
