import { expect } from 'chai'
import fc from 'fast-check'
import { openPaddingRemover } from '../../../src/http/forms/multipart-form.js'
import { version1, version2 } from '../../support/http/api-versions.js'
import { jsonSchema, startService, type TestService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/** A form with one part. @param after what follows each boundary @param end what follows the closing delimiter */
function formWith(after: string, end = after, content = '{"title":"a"}', before = ''): string {
  const part = `--BB${after}\r\nContent-Disposition: form-data; name="document"\r\n\r\n${content}\r\n`
  return `${before}${part}--BB--${end}`
}

for (const { version, mount } of [version1(), version2()]) {
  describe(`forms with blanks after their boundaries, in version ${version}`, () => {
    let service: TestService
    before(async () => {
      service = await startService()
      await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
    })
    after(removeRepositories)

    const validate = (body: string, type = 'multipart/form-data; boundary=BB') =>
      service.http.post(`${mount}/schemas/note/validate`).set('Content-Type', type).send(body)

    it('are read, also with text before the first and after the last boundary', async () => {
      for (const padding of ['', ' ', '  ', '\t', ' \t \t', ' '.repeat(900)]) {
        await validate(formWith(padding, `${padding}\r\n`)).expect(204)
        await validate(formWith(padding)).expect(204)
        await validate(formWith(padding, `${padding}\r\nfarewell`, '{"title":"a"}', 'hello\r\n')).expect(204)
        await validate(formWith(padding, '\r\n', '{}')).expect(422)
      }
    })

    it('are 400 with more blanks than a line has, and before the rest is sent', async () => {
      for (const many of [1000, 200_000]) {
        const answer = await validate(formWith(' '.repeat(many), '\r\n', '{"title":"a"}')).expect(400)
        expect(answer.text).to.include('998 blanks')
      }
    })

    it('are 400 without the closing delimiter, also if blanks are at the end', async () => {
      for (const body of [formWith(' ').replace('--BB--', '--BB'), formWith(' ').replace('BB-- ', 'BB  ')])
        await validate(body).expect(400)
    })

    it('do not have parts after the closing delimiter', async () => {
      await validate(formWith(' ', ` \r\n${formWith(' ', '\r\n', 'not JSON')}`)).expect(204)
    })

    it('are read by a boundary in quotes, with blanks at its end, or between other parameters', async () => {
      for (const type of [
        'multipart/form-data; boundary="BB"',
        'Multipart/Form-Data;boundary="BB  "; charset=utf-8',
        'multipart/form-data; charset="; boundary=CC"; boundary="B\\B" ;',
        'multipart/form-data ; BOUNDARY=BB ; charset=utf-8',
      ])
        await validate(formWith(' '), type).expect(204)
      for (const type of ['multipart/form-data; boundary=', 'multipart/form-data; boundary="  "'])
        await validate(formWith(' '), type).expect(400)
    })

    it('keep lines of a part that only begin like a boundary, and their blanks', async () => {
      const text = '{"title":"a"}\r\n-- BB \r\n--B \t\r\n'.replaceAll('-', ' ').replaceAll('B', ' ')
      await validate(formWith('\t', '\r\n', text)).expect(204)
    })
  })
}

describe('the removal of padding', () => {
  const piece = fc.constantFrom('\r', '\n', '\r\n', '--', '--BB', '-', ' ', '\t', 'x', '\r\n--BB', '\r\n--B')

  it('passes the same bytes on, whatever the chunks', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.array(fc.nat(6), { maxLength: 40 }),
        (pieces, sizes) => {
          const body = Buffer.from(pieces.join(''))
          const whole = openPaddingRemover('BB')
          const expected = Buffer.concat([whole.take(body), whole.end() ?? Buffer.alloc(0)])
          const remover = openPaddingRemover('BB')
          const passed: Buffer[] = []
          let offset = 0
          for (const size of [...sizes, body.length]) {
            passed.push(remover.take(body.subarray(offset, offset + size)))
            offset += size
          }
          expect(Buffer.concat([...passed, remover.end() ?? Buffer.alloc(0)]).toString()).to.equal(
            expected.toString(),
          )
        },
      ),
    )
  })

  it('passes a body without padding on as it is, up to its closing delimiter', () => {
    const remover = openPaddingRemover('BB')
    const body = 'preamble\r\n--BB\r\n\r\n \t\r\n--BBx\r\n--BB y\r\n--BB--'
    expect(remover.take(Buffer.from(`${body} \r\n--BB\r\n`)).toString()).to.equal(`\r\n${body}`)
    expect(remover.end()).to.equal(undefined)
  })
})
