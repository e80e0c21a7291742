import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'chai'
import request from 'supertest'
import { generate } from '../../bench/data/generate-repository.js'
import { documentOf, idOf, schemaOf } from '../../bench/data/generated-records.js'
import { compose } from '../../src/compose/compose.js'
import { defaults } from '../../src/config.js'
import { asVersion } from '../../src/core/value-types.js'
import { createApp } from '../../src/http/app.js'
import { metadataType } from '../support/http/test-service.js'
import { removePlainRepositories, temporaryFolderSync } from '../support/repository/plain-git-repository.js'

const size = { records: 120, versions: 1.5, schemas: 4, seed: 'a seed' }

describe('a generated repository', () => {
  afterEach(removePlainRepositories)

  const git = (dir: string, ...args: string[]) => execFileSync('git', args, { cwd: dir }).toString().trim()

  for (const bare of [false, true]) {
    it(`is sound, served and valid${bare ? ', without a work tree' : ''}`, async () => {
      const data = join(temporaryFolderSync(), 'data')

      await generate(data, { ...size, bare })

      expect(git(data, 'fsck', '--strict')).to.equal('')
      expect(git(data, 'rev-list', '--count', 'HEAD')).to.equal(String(1 + 4 + 180))
      if (!bare) expect(git(data, 'status', '--porcelain')).to.equal('')
      const services = await compose({ ...defaults, data, workers: 1 }, { report: () => undefined })
      try {
        const http = request(createApp(services).callback())
        const page = await http.get('/api/v1/metadata?size=7').expect(200)
        expect(page.headers['content-range']).to.equal('0-6/120')
        expect((await http.get('/api/v1/schemas')).headers['content-range']).to.equal('0-3/4')
        const id = idOf(size.seed, 0)
        const record = await http.get(`/api/v1/metadata/${id}`).set('Accept', metadataType).expect(200)
        const version = asVersion(record.body.recordVersion)
        expect(version).to.be.greaterThan(1)
        const document = await http.get(`/api/v1/metadata/${id}`).expect(200)
        expect(document.text).to.equal(
          documentOf(size.seed, 0, version, schemaOf(size.seed, 0, size.schemas)).toString(),
        )
        const complaints = []
        for await (const complaint of services.audit.verify()) complaints.push(complaint)
        expect(complaints).to.deep.equal([])
      } finally {
        await services.close()
      }
    })
  }

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
