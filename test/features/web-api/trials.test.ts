import { expect } from 'chai'
import { startService, type TestService, withFileName } from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const schema = JSON.stringify({ properties: { width: { $ref: 'parts/length.json' } } })
const length = '{"type":"number"}'

describe('The trial of a schema that is not stored', () => {
  let service: TestService
  afterEach(removeRepositories)

  const trial = (document: string, text = schema) =>
    service.http
      .post('/api/v2/trials')
      .attach('schema', Buffer.from(text), 'plate.json')
      .attach('include', Buffer.from(length), withFileName('parts/length.json'))
      .field('document', document)

  it('tells what is wrong with a document, and stores nothing', async () => {
    service = await startService()
    await service.storesNothing(async () => {
      expect((await trial('{"width":1}').expect(200)).body).to.deep.equal({ findings: [] })
      const { body } = await trial('{\n"width":"1"}').expect(200)
      expect(body.findings).to.have.lengthOf(1)
      expect(body.findings[0]).to.include({ message: 'must be number', path: '/width', line: 2 })
    })
  })

  it('tells the line of a document that is not well-formed', async () => {
    service = await startService()
    const { body } = await trial('{\n"width": }').expect(200)
    expect(body.findings[0]).to.include({ line: 2 })
  })

  it('refuses a schema that cannot be used, and tells its line', async () => {
    service = await startService()
    const { body } = await trial('{}', '{\n"properties": }').expect(422)
    expect(body.findings[0]).to.include({ line: 2 })
  })

  it('is for callers who may register schemas', async () => {
    service = await startService({ identify: identifyWithTestSecret })
    await trial('{}').expect(401)
    await trial('{}')
      .set('Authorization', `Bearer ${await userToken('ada')}`)
      .expect(200)
  })
})
