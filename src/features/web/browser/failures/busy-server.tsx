import { useEffect, useRef, useState } from 'preact/hooks'
import { words } from '../words.js'

/**
 * Counts down the seconds that the server asks to wait, then tries again. A person can stop that, or try at once.
 * @param props.error each refusal begins a countdown
 * @param props.retry is safe to repeat
 */
export function BusyServer({
  error,
  seconds,
  retry,
}: {
  readonly error: Error
  readonly seconds: number
  readonly retry: () => void
}) {
  const [left, setLeft] = useState(seconds)
  const [isStopped, setIsStopped] = useState(false)
  const latest = useRef(retry)
  latest.current = retry
  useEffect(() => {
    if (isStopped) return
    // A proxy that asks for no wait at all would be asked without end.
    const end = Date.now() + Math.max(1, seconds) * 1000
    const timer = setInterval(() => {
      const rest = Math.max(0, Math.ceil((end - Date.now()) / 1000))
      setLeft(rest)
      if (rest > 0) return
      clearInterval(timer)
      latest.current()
    }, 200)
    return () => clearInterval(timer)
  }, [isStopped, error])
  return (
    <>
      {/* Nobody wants to hear every second. */}
      <p role="timer">{isStopped ? words.busy.stopped : words.busy.left(left)}</p>
      <p class="pager">
        {!isStopped && (
          <button type="button" onClick={() => setIsStopped(true)}>
            {words.busy.stop}
          </button>
        )}
        <button type="button" onClick={retry}>
          {words.busy.now}
        </button>
      </p>
    </>
  )
}
