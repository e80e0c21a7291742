import { expect } from 'chai'
import fc from 'fast-check'
import { parseIfMatch } from '../../../src/http/request/conditional-headers.js'
import { apiClient, type Client, formFile, version1, version2 } from '../../support/http/api-versions.js'
import { etagOf, jsonSchema, startService, type TestService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/** @see RFC 9110 §5.6.1.2 (lists), §13.1 (conditions), §13.2.2 (their order) */
for (const spoken of [version1(), version2()]) {
  describe(`preconditions in version ${spoken.version}`, () => {
    const { mount, recordTypes } = spoken
    let service: TestService
    let client: Client
    let first: string
    let newest: string

    const url = `${mount}/metadata/doc`
    const change = (ifMatch: string | undefined, document: string) =>
      client.send(
        'put',
        '/metadata/doc',
        [formFile('document', document)],
        ifMatch === undefined ? {} : { 'If-Match': ifMatch },
      )
    const read = (path: string, conditions: Readonly<Record<string, string>>, accept = '*/*') =>
      service.http.get(path).set({ Accept: accept, ...conditions })

    before(async () => {
      service = await startService()
      client = apiClient(service, spoken)
      await client.postSchema('plain', jsonSchema()).expect(201)
      first = etagOf(await client.postMetadata('http://x/1', 'plain', '{"a":1}', { id: 'doc' }).expect(201))
      newest = etagOf(await change(first, '{"a":2}').expect(200))
    })
    after(removeRepositories)

    it('of a GET are 412 if If-Match names another state, for every representation with an ETag', async () => {
      const paths: readonly (readonly [string, string, (string | undefined)?])[] = [
        [url, newest],
        [url, newest, recordTypes.metadata[0]],
        [`${url}?version=1`, first],
        [`${mount}/schemas/plain/files`, etagOf(await read(`${mount}/schemas/plain`, {}))],
        [`${mount}/schemas/plain`, etagOf(await read(`${mount}/schemas/plain`, {}))],
        [`${url}/export/bibtex`, etagOf(await read(`${url}/export/bibtex`, {}))],
        ['/download/metadata/doc', newest],
        ['/v3/api-docs', etagOf(await read('/v3/api-docs', {}))],
      ]
      for (const [path, tag, accept] of paths) {
        for (const wrong of ['"x"', `W/${tag}`, `"x", W/${tag}`, 'x'])
          await read(path, { 'If-Match': wrong }, accept).expect(412)
        for (const right of [tag, `"x,y",, ${tag} ,`, '*'])
          await read(path, { 'If-Match': right }, accept).expect(200)
        await service.http.head(path).set('If-Match', '"x"').expect(412)
      }
    })

    it('of a GET are 412 if its answer has no ETag and If-Match names one', async () => {
      for (const path of [`${mount}/metadata`, `${mount}/schemas?size=1`, '/dashboard', '/health']) {
        await read(path, { 'If-Match': newest }).expect(412)
        await read(path, { 'If-Match': '*' }).expect(200)
      }
    })

    it('are evaluated in order: If-Match before If-None-Match', async () => {
      await read(url, { 'If-Match': '"x"', 'If-None-Match': newest }).expect(412)
      await read(url, { 'If-Match': newest, 'If-None-Match': newest }).expect(304)
      await read(url, { 'If-Match': newest, 'If-None-Match': '"x"' }).expect(200)
    })

    it('are ignored if the answer without them is no success', async () => {
      await read(`${mount}/metadata/unknown`, { 'If-Match': '"x"' }).expect(404)
      await read(`${url}?version=9`, { 'If-Match': '"x"' }).expect(404)
      await read(url, { 'If-Match': '"x"' }, 'text/html').expect(302)
      await read(`${mount}/metadata?page=9&size=1`, { 'If-Match': '"x"' }).expect(416)
      await client.put('metadata', 'unknown', '*', undefined, '{').set('If-None-Match', '*').expect(404)
    })

    it('about times are ignored, because no answer has Last-Modified', async () => {
      const past = 'Mon, 01 Jan 2001 00:00:00 GMT'
      const answer = await read(url, { 'If-Modified-Since': past, 'If-Unmodified-Since': past }).expect(200)
      expect(answer.headers).not.to.have.property('last-modified')
      await service.http.put(url).set('If-Unmodified-Since', past).expect(428)
    })

    it('of a PUT or DELETE are 412 if If-None-Match names the current state, and nothing changes', async () => {
      await service.storesNothing(async () => {
        for (const excluded of ['*', newest, `W/${newest}`, `, "x,y" ,, ${newest}`, 'not a tag', '"x", *']) {
          for (const match of ['*', newest]) {
            const put = change(match, '{"a":3}')
            await put.set('If-None-Match', excluded).expect(412)
            await service.http.delete(url).set({ 'If-Match': match, 'If-None-Match': excluded }).expect(412)
          }
        }
        const stale = change(first, '{"a":3}')
        await stale.set('If-None-Match', '"x"').expect(412)
      })
    })

    it('of a PUT with If-None-Match alone are 412 if it names the state, else 428', async () => {
      await service.storesNothing(async () => {
        for (const [excluded, status] of [
          ['*', 412],
          [newest, 412],
          ['"x"', 428],
          [' ', 428],
        ] as const) {
          const put = change(undefined, '{"a":3}')
          await put.set('If-None-Match', excluded).expect(status)
          await service.http.delete(url).set('If-None-Match', excluded).expect(status)
        }
        await service.http.delete(`${mount}/metadata/unknown`).set('If-None-Match', '*').expect(404)
      })
    })

    it('allow a change if If-None-Match names only other states', async () => {
      const put = change(`, ${newest},`, '{"a":4}')
      await put.set('If-None-Match', `${first}, "x"`).expect(200)
    })
  })
}

describe('a list of entity tags', () => {
  const blank = fc.stringMatching(/^[ \t]{0,3}$/)
  const tag = fc.stringMatching(/^[!#-~]{0,8}$/)

  it('has its tags, with any commas in them, whatever empty elements stand between', () => {
    const element = fc.tuple(blank, fc.option(tag, { nil: undefined }), blank)
    fc.assert(
      fc.property(fc.array(element, { minLength: 1, maxLength: 12 }), elements => {
        const header = elements.map(
          ([before, each, after]) => before + (each === undefined ? '' : `"${each}"`) + after,
        )
        const tags = elements.flatMap(([, each]) => each ?? [])
        fc.pre(header.join(',').trim() !== '')
        expect(parseIfMatch(header.join(','))).to.deep.equal({ any: false, tags })
      }),
    )
  })
})
