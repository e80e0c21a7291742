// test-schedule: quick
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  jsonSchema,
  metadataRecordV1,
  startServiceWithWorkTree,
  type TestService,
} from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

describe('/actuator', () => {
  let service: TestService
  async function start(): Promise<void> {
    service = await startServiceWithWorkTree({ build: { name: 'git-metastore', version: '1.2.3' } })
  }

  describe('of a repository with a schema and two documents', () => {
    before(async () => {
      await start()
      await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
      await service.postMetadata(metadataRecordV1('http://x/1', 'note'), '{}').expect(201)
      await service.postMetadata(metadataRecordV1('http://x/2', 'note'), '{}').expect(201)
    })
    after(removeRepositories)

    for (const mount of ['', '/metastore']) {
      const health = () => service.http.get(`${mount}/actuator/health`).expect(200)
      const info = () => service.http.get(`${mount}/actuator/info`).expect(200)

      it(`is UP under ${mount}/actuator/health, which caches do not store`, async () => {
        const { headers, body } = await health()
        expect(headers).to.include({ 'content-type': 'application/json', 'cache-control': 'no-store' })
        expect(body.status).to.equal('UP')
      })

      it(`has both collections, which are UP, with the numbers of their records under ${mount}/actuator/health`, async () => {
        const { SchemaRepo, MetadataRepo } = (await health()).body.components
        expect([SchemaRepo.status, MetadataRepo.status]).to.deep.equal(['UP', 'UP'])
        expect(SchemaRepo.details).to.include({ 'No of schema documents': '1' })
        expect(MetadataRepo.details).to.include({ 'No of metadata documents': '2' })
      })

      it(`has the commit of the branch and of the catalog under ${mount}/actuator/health`, async () => {
        const head = await service.head()
        expect((await health()).body.components.git.details).to.include({ head, catalog: head })
      })

      it(`has the name and the version of the program under ${mount}/actuator/info`, async () => {
        expect((await info()).body.build).to.deep.equal({ name: 'git-metastore', version: '1.2.3' })
      })

      it(`has the numbers of the records under ${mount}/actuator/info`, async () => {
        const { schemaRepo, metadataRepo } = (await info()).body
        expect(schemaRepo['No of schema documents']).to.equal('1')
        expect(metadataRepo['No of metadata documents']).to.equal('2')
      })

      it(`has the space of the disk under ${mount}/actuator/info`, async () => {
        const { schemaRepo, metadataRepo } = (await info()).body
        expect(schemaRepo).to.have.all.keys('Total space', 'Free space', 'No of schema documents')
        for (const repository of [schemaRepo, metadataRepo]) {
          expect(repository['Total space']).to.match(/^\d+\.\d\d GB$/)
          expect(repository['Free space']).to.match(/^\d+\.\d\d GB \(\d{1,3}%\)$/)
        }
      })
    }
  })

  describe('of a new repository', () => {
    beforeEach(start)
    afterEach(removeRepositories)

    it('works before the first record, without folders in the work tree', async () => {
      const { body } = await service.http.get('/actuator/info').expect(200)
      expect(body.schemaRepo).to.include({ 'No of schema documents': '0' })
      expect(body.metadataRepo).to.include({ 'No of metadata documents': '0' })
      await service.http.get('/actuator/health').expect(200)
    })

    it('omits a collection whose folder is not writable, and is DOWN', async () => {
      await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
      await service.services.workTreeUpToDate()
      // A file in place of the folder: even the user root, who may write everywhere, cannot write into it.
      const folder = join(service.repository.dir, 'metadata')
      await writeFile(folder, '')

      const info = await service.http.get('/actuator/info').expect(200)
      expect(info.body).to.have.property('schemaRepo')
      expect(info.body).to.not.have.property('metadataRepo')
      const health = await service.http.get('/actuator/health').expect(503)
      expect(health.body.status).to.equal('DOWN')
      expect(health.body.components.MetadataRepo.status).to.equal('DOWN')
      expect(health.body.components.SchemaRepo.status).to.equal('UP')

      await rm(folder)
      await service.http.get('/actuator/health').expect(200)
    })

    it('answers 503 with a reason while the server cannot store updates', async () => {
      await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
      await service.services.workTreeUpToDate()
      await service.repository.patiently('reset', '-q', '--hard', 'HEAD~1')

      const { body } = await service.http.get('/actuator/health').expect(503)

      expect(body.status).to.equal('DOWN')
      for (const name of ['SchemaRepo', 'MetadataRepo', 'git'])
        expect(body.components[name].status, name).to.equal('DOWN')
      expect(body.components.git.details.checks.catalog).to.include({ ok: false })
    })

    it('has no other endpoints', async () => {
      for (const path of ['', '/', '/env', '/prometheus', '/health/', '/health/SchemaRepo', '/loggers']) {
        for (const mount of ['', '/metastore']) await service.http.get(`${mount}/actuator${path}`).expect(404)
      }
    })

    it('exists beside /health, under both mounts', async () => {
      await service.http.get('/health').expect(200)
      await service.http.get('/metastore/health').expect(200)
      await service.http.post('/metastore/health').expect(405)
    })
  })
})
