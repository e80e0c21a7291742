import { useEffect, useRef } from 'preact/hooks'
import { peopleWords } from '../words-of-people.js'
import { LoginForm } from './login-form.js'
import { useSession } from './login-session.js'
import { currentAddress } from './return-address.js'

/** The ways to log in, over the page. It closes when somebody is logged in; what was typed stays. */
export function LoginDialog({ close }: { close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isInside = useSession().token !== undefined
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    if (isInside) dialog.current?.close()
  }, [isInside])
  return (
    <dialog ref={dialog} aria-labelledby="login-dialog" onClose={close}>
      <h2 id="login-dialog">{peopleWords.login.titleOver}</h2>
      <LoginForm from={currentAddress()} />
      <p>
        <button type="button" onClick={() => dialog.current?.close()}>
          {peopleWords.login.close}
        </button>
      </p>
    </dialog>
  )
}
