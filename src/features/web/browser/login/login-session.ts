import { useSyncExternalStore } from 'preact/compat'
import type { Caller, Login } from '../api/interface-types.js'
import { serviceUrl } from '../api/service-url.js'

/*
 * Who is logged in. The token is in the memory of this window. If the person wants to stay logged in until the window is
 * closed, it is in `sessionStorage`, too, which other windows cannot read. It is in no other place.
 */

/** How one logs in to this server. The document of the application has it, so that no page asks for it. */
export const loginOptions: Login = JSON.parse(
  document.getElementById('application')?.dataset.login ?? '{"tokens":false,"paste":false}',
)

export interface Session {
  /** Undefined: nobody is logged in. */
  readonly token: string | undefined
  /** The caller of the token, as the server knows it. */
  readonly caller: Caller | undefined
  /** The server did not accept the token any more. */
  readonly isOver: boolean
}

const nobody: Session = { token: undefined, caller: undefined, isOver: false }
/** Several services of one host do not share logins. */
const key = `session ${serviceUrl.pathname}`
const logOutMessage = 'log out'
/** Other windows log out, too. No message has a token. */
const otherWindows = new BroadcastChannel(key)
const listeners = new Set<() => void>()
let session = keptSession()

otherWindows.onmessage = () => forget(nobody)

/** The session as it is now. */
export function currentSession(): Session {
  return session
}

/** The session, also when it changes. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, currentSession)
}

/** Calls back after each change of the session. @returns ends that */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Begins a session.
 * @param isKept keep it until this window is closed, else until the page is left
 */
export function beginSession(token: string, caller: Caller, isKept: boolean): void {
  removeKept()
  if (isKept) keep({ token, caller })
  change({ token, caller, isOver: false })
}

/** Ends the session of a token that the server does not accept any more. */
export function endSession(token: string): void {
  if (session.token === token) forget({ ...nobody, isOver: true })
}

/** Logs out, here and in all windows of this browser. */
export function logOut(): void {
  otherWindows.postMessage(logOutMessage)
  forget(nobody)
}

function forget(next: Session): void {
  removeKept()
  if (session.token !== undefined || next.isOver) change(next)
}

function change(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}

function keptSession(): Session {
  try {
    const { token, caller } = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Session>
    if (typeof token === 'string' && typeof caller?.name === 'string') return { token, caller, isOver: false }
  } catch (error) {
    if (!(error instanceof DOMException) && !(error instanceof SyntaxError)) throw error
  }
  return nobody
}

/** A browser that keeps nothing forgets the session with the page. */
function keep(kept: Pick<Session, 'token' | 'caller'>): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(kept))
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
  }
}

function removeKept(): void {
  try {
    sessionStorage.removeItem(key)
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
  }
}
