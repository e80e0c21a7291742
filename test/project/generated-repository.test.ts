import { join } from 'node:path'
import { expect } from 'chai'
import request from 'supertest'
import { generate } from '../../bench/data/generate-repository.js'
import { documentOf, idOf, schemaOf } from '../../bench/data/generated-records.js'
import { type ComposedServices, compose } from '../../src/compose/compose.js'
import { defaults } from '../../src/config.js'
import { asVersion } from '../../src/core/value-types.js'
import { verifyRepository } from '../../src/features/maintenance/verify/verify-repository.js'
import { createApp } from '../../src/http/app.js'
import { metadataType } from '../support/http/test-service.js'
import { gitSync } from '../support/program/run-synchronously.js'
import { removePlainRepositories, temporaryFolderSync } from '../support/repository/plain-git-repository.js'

const size = { records: 120, versions: 1.5, schemas: 4, seed: 'a seed' }

const git = (dir: string, ...args: string[]) => gitSync(args, dir).toString().trim()

for (const bare of [false, true]) {
  describe(`a generated repository ${bare ? 'without' : 'with'} a work tree`, () => {
    let data: string
    let services: ComposedServices
    let http: ReturnType<typeof request>
    before(async () => {
      data = join(temporaryFolderSync(), 'data')
      await generate(data, { ...size, bare })
    })
    after(async () => {
      await services.close()
      removePlainRepositories()
    })

    it('is sound', () => {
      expect(git(data, 'fsck', '--strict')).to.equal('')
    })

    it('has a commit for each version of a record, and one more', () => {
      expect(git(data, 'rev-list', '--count', 'HEAD')).to.equal(String(1 + 4 + 180))
    })

    if (!bare) {
      it('has a clean work tree', () => {
        expect(git(data, 'status', '--porcelain')).to.equal('')
      })
    }

    describe('that is served', () => {
      const id = idOf(size.seed, 0)
      before(async () => {
        services = await compose({ ...defaults, data, workers: 1 }, { report: () => undefined })
        http = request(createApp(services).callback())
      })

      it('has the wanted number of records and schemas', async () => {
        const page = await http.get('/api/v1/metadata?size=7').expect(200)
        expect(page.headers['content-range']).to.equal('0-6/120')
        expect((await http.get('/api/v1/schemas')).headers['content-range']).to.equal('0-3/4')
      })

      it('has the documents that follow from the seed, with several versions', async () => {
        const record = await http.get(`/api/v1/metadata/${id}`).set('Accept', metadataType).expect(200)
        const version = asVersion(record.body.recordVersion)
        expect(version).to.be.greaterThan(1)
        const document = await http.get(`/api/v1/metadata/${id}`).expect(200)
        expect(document.text).to.equal(
          documentOf(size.seed, 0, version, schemaOf(size.seed, 0, size.schemas)).toString(),
        )
      })

      it('is valid', async () => {
        const complaints = []
        for await (const complaint of verifyRepository(services.parts)) complaints.push(complaint)
        expect(complaints).to.deep.equal([])
      })
    })
  })
}

describe('a generated repository', () => {
  afterEach(removePlainRepositories)

  it('depends only on its numbers and its seed', async () => {
    const folder = temporaryFolderSync()
    const heads = []
    for (const [name, seed] of Object.entries({ one: 'a', two: 'a', three: 'b' })) {
      await generate(join(folder, name), { ...size, seed, bare: true })
      heads.push(git(join(folder, name), 'rev-parse', 'HEAD'))
    }

    expect(heads[0]).to.equal(heads[1])
    expect(heads[0]).not.to.equal(heads[2])
  })
})
