/** An event of a stream. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export interface StreamEvent {
  readonly name: string
  readonly data: string
  /** The id that this or an earlier event has set. */
  readonly id: string
}

/** Reads the events of a response as they come. An event that the end of the stream cuts off is left out. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  let id = ''
  let name = ''
  let data: string[] = []
  for await (const line of linesOf(body)) {
    if (line === '') {
      if (data.length > 0) yield { name: name || 'message', data: data.join('\n'), id }
      name = ''
      data = []
      continue
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') name = value
    if (field === 'data') data.push(value)
    if (field === 'id') id = value
  }
}

/** Lines that end in LF, CR LF or CR. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      // A CR at the end may be the first half of a line end.
      const lines = (rest + decoder.decode(part.value, { stream: true })).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      yield* lines
    }
  } finally {
    await reader.cancel()
  }
}
