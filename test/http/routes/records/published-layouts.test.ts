// test-schedule: quick
import { expect } from 'chai'
import { apiClient, type Client, version1, version2 } from '../../../support/http/api-versions.js'
import { expectVerdicts, postSchemaFiles } from '../../../support/http/schema-uploads.js'
import { startService, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

const xsd = (content: string, attributes = '') =>
  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" ${attributes}>${content}</xs:schema>`
const count = { valid: '<count>1</count>', invalid: '<count>x</count>' }
const kind = xsd('<xs:simpleType name="Kind"><xs:restriction base="xs:integer"/></xs:simpleType>')

for (const spoken of [version1(), version2()]) {
  describe(`the files of published schemas, in version ${spoken.version} of the interface`, () => {
    let service: TestService
    let client: Client
    beforeEach(async () => {
      service = await startService()
      client = apiClient(service, spoken)
    })
    afterEach(removeRepositories)

    it('may be in folders that begin with a dash', async () => {
      const made = await postSchemaFiles(client, 'dashes', {
        'main.xsd': xsd(
          '<xs:include schemaLocation="19999/-3/a/1.0/a.xsd"/><xs:element name="count" type="Kind"/>',
        ),
        '19999/-3/a/1.0/a.xsd': xsd('<xs:include schemaLocation="../../../../19999/-3/-b.xsd"/>'),
        '19999/-3/-b.xsd': kind,
      })
      expect(made.status, made.text).to.equal(201)
      await expectVerdicts(client, 'dashes', count)
      const file = await client.get('/schemas/dashes/files/19999/-3/-b.xsd').expect(200)
      expect(file.text).to.equal(kind)
    })
  })
}
