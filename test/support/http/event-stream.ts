/** A reader of server-sent events. */
export interface EventReader {
  readonly status: number
  readonly headers: Headers
  /** Returns the next event; undefined if the stream has ended. */
  next(): Promise<ReadEvent | undefined>
  /** The id from which a client would continue. */
  lastId(): string | undefined
  close(): void
}

export interface ReadEvent {
  readonly event: string
  readonly data: string
  /** The `id` line of the event, if it has one. */
  readonly id?: string
}

const open: EventReader[] = []

/** For `afterEach`: closes all readers. */
export function closeEvents(): void {
  for (const reader of open.splice(0)) reader.close()
}

/** @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation */
export async function readEvents(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventReader> {
  const leaving = new AbortController()
  const answer = await fetch(url, {
    headers: { Accept: 'text/event-stream', ...headers },
    signal: leaving.signal,
  })
  return streamOf(answer, () => leaving.abort())
}

/** @param leave aborts the request */
export function streamOf(answer: Response, leave: () => void): EventReader {
  const body = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let lastId: string | undefined

  /** Returns the lines of the next block, without the empty line at its end. */
  async function block(): Promise<string | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const found = text.slice(0, end)
        text = text.slice(end + 2)
        return found
      }
      const { done, value } = (await body?.read()) ?? { done: true, value: undefined }
      if (done) return undefined
      text += value
    }
  }

  const reader: EventReader = {
    status: answer.status,
    headers: answer.headers,
    async next() {
      for (;;) {
        const lines = (await block())?.split('\n')
        if (!lines) return undefined
        const field = (name: string) =>
          lines.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2)
        const id = field('id')
        lastId = id ?? lastId
        const data = field('data')
        if (data !== undefined) return { event: field('event') ?? 'message', data, ...(id && { id }) }
      }
    },
    lastId: () => lastId,
    close: leave,
  }
  open.push(reader)
  return reader
}
