import { answered, client, Refusal } from '../api/client.js'
import { peopleWords } from '../words-of-people.js'
import { beginSession } from './login-session.js'

/** A token that a login has brought. */
export interface EndedLogin {
  readonly token: string
  /** Keep the session until the window is closed. */
  readonly isKept: boolean
  /** The page to come back to. */
  readonly from: string
}

/** A login that did not succeed, with the reason for people. */
export class LoginFailure extends Error {
  override readonly name = 'LoginFailure'
}

/** The characters of a token. @see RFC 6750 §2.1 */
const tokenForm = /^[A-Za-z0-9._~+/-]+=*$/

/**
 * Begins a session if the server accepts the token.
 * @param text the token, also with the word `Bearer` before it
 * @throws LoginFailure for a token that the server does not accept; Refusal; TypeError without a connection
 */
export async function tryToken(text: string, isKept: boolean): Promise<void> {
  const token = text.trim().replace(/^Bearer\s+/i, '')
  if (!tokenForm.test(token)) throw new LoginFailure(peopleWords.login.noToken)
  try {
    const asked = client.GET('/api/whoami', {
      headers: { Authorization: `Bearer ${token}` },
      cache: 'no-store',
    })
    const { data } = await answered(asked)
    beginSession(token, data, isKept)
  } catch (cause) {
    if (cause instanceof Refusal && (cause.status === 401 || cause.status === 403))
      throw new LoginFailure(peopleWords.login.tokenRefused(cause.message), { cause })
    throw cause
  }
}
