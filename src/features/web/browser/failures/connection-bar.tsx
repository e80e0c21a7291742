import { useEffect } from 'preact/hooks'
import { client } from '../api/client.js'
import { words } from '../words.js'
import { useIsConnected, useIsKept } from './connection.js'

/** Milliseconds between requests that ask whether the server is there again. */
const pause = 3000
/** Limit of the milliseconds of such a request: those of a server that never answers would be more and more. */
const patience = 10_000

/** Says that the server cannot be reached, until it can, and whether the browser keeps what was typed. */
export function ConnectionBar() {
  const isConnected = useIsConnected()
  const isKept = useIsKept()
  return (
    <div role="status" class="connection">
      {!isConnected && (
        <p class="notice">
          {words.connection.lost} {isKept && words.connection.kept}
          <Attempts />
        </p>
      )}
    </div>
  )
}

/** Asks for the server as long as it is away. Every answer ends that. */
function Attempts() {
  useEffect(() => {
    const ask = () => {
      const signal = AbortSignal.timeout(patience)
      client.GET('/api/whoami', { cache: 'no-store', signal }).catch(() => undefined)
    }
    const timer = setInterval(ask, pause)
    addEventListener('online', ask)
    return () => {
      removeEventListener('online', ask)
      clearInterval(timer)
    }
  }, [])
  return null
}
