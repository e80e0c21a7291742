import { expect } from 'chai'
import { openMetrics } from '../../../src/http/observability/prometheus-metrics.js'
import { listen, type RunningServer } from '../../../src/http/server/listen.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('the listeners of a response', () => {
  let service: TestService
  let server: RunningServer
  const warnings: string[] = []
  const collect = ({ name, message }: Error) => {
    if (name === 'MaxListenersExceededWarning') warnings.push(message)
  }
  before(async () => {
    process.on('warning', collect)
    const journal = { isEnabled: () => true, write: () => undefined }
    service = await startService({ metrics: await openMetrics(), journal })
    server = await listen(service.app, { port: 0 })
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    for (let number = 0; number < 40; number++) {
      const record = metadataRecordV1(`http://x/${number}`, 'note', { id: `n${number}` })
      await service.postMetadata(record, documentOf(number)).expect(201)
    }
    const found = await service.http
      .get('/api/v2/metadata/n0')
      .set('Accept', 'application/vnd.datacite.org+json')
    await service.putMetadata('n0', etagOf(found), undefined, documentOf(1)).expect(200)
  })
  beforeEach(() => {
    warnings.length = 0
  })
  after(async () => {
    process.off('warning', collect)
    await server.stop(100)
    await removeRepositories()
  })

  /** A document whose blame exceeds one piece of a stream. */
  function documentOf(number: number): string {
    const items = Array.from({ length: 2000 }, (_, index) => ({ name: `member ${index}`, number }))
    return JSON.stringify({ items })
  }

  const form = (name: string, text: string) => {
    const body = new FormData()
    body.set(name, new Blob([text]), name)
    return { method: 'POST', body }
  }

  const requests: Readonly<Record<string, readonly [path: string, init?: RequestInit]>> = {
    'a list': ['/api/v2/metadata?size=40'],
    'a list of versions': ['/api/v1/metadata/n0/versions'],
    'a difference': ['/api/v1/metadata/n0/diff?from=1&to=2'],
    'a streamed blame': ['/api/v1/metadata/n0/blame'],
    'an impact': ['/api/v1/schemas/note/impact', form('schema', jsonSchema('title'))],
    'an impact as events': [
      '/api/v1/schemas/note/impact',
      { ...form('schema', jsonSchema('title')), headers: { Accept: 'text/event-stream' } },
    ],
    'a validation': ['/api/v1/schemas/note/validate', form('document', '{}')],
    'a waiting change feed': ['/api/changes?limit=1&wait=1'],
    'a git request': ['/repository.git/info/refs?service=git-upload-pack'],
  }

  for (const [name, [path, init]] of Object.entries(requests)) {
    it(`are at most ten for ${name}`, async () => {
      const response = await fetch(new URL(path, server.url), init)
      await response.text()
      expect(response.status, path).to.be.within(200, 422)
      // Node emits a warning in a later iteration of the event loop.
      await new Promise(resolve => setImmediate(resolve))
      expect(warnings).to.deep.equal([])
    })
  }

  it('are at most ten for an event stream', async () => {
    const client = new AbortController()
    const headers = { Accept: 'text/event-stream' }
    const response = await fetch(new URL('/api/changes', server.url), { headers, signal: client.signal })
    await response.body?.getReader().read()
    client.abort()
    await new Promise(resolve => setImmediate(resolve))
    expect(warnings).to.deep.equal([])
  })
})
