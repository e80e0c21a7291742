// test-schedule: quick
import { expect } from 'chai'
import { watchPartHeaders } from '../../../src/http/forms/multipart-form.js'

describe('headers of the parts of a form', () => {
  const boundary = 'the-boundary'
  const part = (type: string, body: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="a"; filename="a"\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`
  const body = Buffer.from(
    `${part('text/a; charset=UTF-8', '\r\n--the-bound and more of it')}${part('text/b', '')}${part('text/c', 'x'.repeat(100))}--${boundary}--\r\n`,
  )
  const all = [
    { contentType: 'text/a', charset: 'utf-8' },
    { contentType: 'text/b' },
    { contentType: 'text/c' },
  ]

  it('are found at every boundary of chunks', () => {
    for (let length = 1; length <= body.length; length++) {
      const { watch, seen } = watchPartHeaders(boundary)
      for (let at = 0; at < body.length; at += length) watch(body.subarray(at, at + length))
      expect(seen, `chunks of ${length} bytes`).to.deep.equal(all)
    }
    for (let cut = 0; cut <= body.length; cut++) {
      const { watch, seen } = watchPartHeaders(boundary)
      watch(body.subarray(0, cut))
      watch(body.subarray(cut))
      expect(seen, `cut at ${cut}`).to.deep.equal(all)
    }
  })
})
