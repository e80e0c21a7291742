import type { Context } from 'koa'
import type { Client } from '../../core/access-control.js'
import { openLinkedQueue } from '../../core/data-structures/linked-queue.js'
import type { ClientOf } from '../auth/identify-caller.js'
import { onResponseClose, responseClosed } from '../request-state.js'

/** Signals that end work for a response when no client waits for it any more. */
export interface ResponseSignals {
  /** Aborts when the response is sent, its client is gone, or the server stops. */
  of(ctx: Context): AbortSignal
  /** The client of a request, with the signal of its response, for work in other processes. */
  clientOf(ctx: Context): Client
  /** Aborts all signals. */
  stop(): void
}

export function openResponseSignals(clientOf: ClientOf): ResponseSignals {
  const open = openLinkedQueue<AbortController>()

  function signalOf(ctx: Context): AbortSignal {
    const controller = new AbortController()
    const leave = open.join(controller)
    onResponseClose(ctx, () => {
      leave()
      controller.abort(responseClosed)
    })
    return controller.signal
  }

  return {
    of: signalOf,
    clientOf(ctx) {
      const { key, isKnown } = clientOf(ctx)
      return { key, isKnown, signal: signalOf(ctx) }
    },
    stop() {
      for (const controller of open) controller.abort()
    },
  }
}
