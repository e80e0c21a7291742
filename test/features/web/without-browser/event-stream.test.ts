// test-schedule: quick
import { expect } from 'chai'
import { readEvents, type StreamEvent } from '../../../../src/features/web/browser/api/event-stream.js'

/** A stream with these parts. */
function streamOf(parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

async function eventsIn(...parts: readonly Uint8Array[]): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const event of readEvents(streamOf(parts))) events.push(event)
  return events
}

const bytes = (text: string) => new TextEncoder().encode(text)

describe('the events of a stream in the browser', () => {
  const text =
    ': comment\n\nevent: created\ndata: {"a":\ndata: "ü"}\nid: 1\n\nid:2\ndata:  x\nretry: 5\n\nevent: empty\n\ndata: cut off'
  const events = [
    { name: 'created', data: '{"a":\n"ü"}', id: '1' },
    { name: 'message', data: ' x', id: '2' },
  ]

  for (const [name, end] of [
    ['LF', '\n'],
    ['CR LF', '\r\n'],
    ['CR', '\r'],
  ] as const) {
    it(`are the same wherever the network cuts them, with lines that end in ${name}`, async () => {
      const whole = bytes(text.replaceAll('\n', end))
      for (let place = 0; place <= whole.length; place++)
        expect(await eventsIn(whole.slice(0, place), whole.slice(place)), `cut at ${place}`).to.deep.equal(
          events,
        )
    })
  }
})
