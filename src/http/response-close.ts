import type { Context } from 'koa'
import { requestState } from './request-state.js'

/** Why a signal of a request aborts. One for all, because it costs a stack trace. */
export const responseClosed = new DOMException('The response is closed.', 'AbortError')

/**
 * Calls a listener when the response is sent or its connection is closed; at once if that has happened already.
 *
 * All listeners share one event listener of the response: Node.js warns if there are more than ten, and a body that is
 * a stream needs six of its own.
 */
export function onResponseClose(ctx: Context, listener: () => void): void {
  const { res } = ctx
  // A closed response emits no further event.
  if (res.closed) {
    listener()
    return
  }
  const state = requestState(ctx)
  if (state.closeListeners) {
    state.closeListeners.push(listener)
    return
  }
  const listeners = [listener]
  state.closeListeners = listeners
  res.once('close', () => {
    for (const each of listeners) each()
  })
}
