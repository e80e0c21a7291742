// test-schedule: quick
import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { openCatFileReader } from '../../../src/store/object-readers/cat-file-reader.js'
import type { ObjectReader } from '../../../src/store/objects/object-reader.js'
import { listRefs, readAllRefs } from '../../../src/store/refs/list-refs.js'
import { hasBranches, readRef } from '../../../src/store/refs/read-refs.js'
import {
  type PlainRepository,
  plainRepository,
  removePlainRepositories,
} from '../../support/repository/plain-git-repository.js'

describe('refs', () => {
  let repo: PlainRepository
  let objects: ObjectReader

  beforeEach(() => {
    repo = plainRepository()
    objects = openCatFileReader('git', repo.gitDir)
  })
  afterEach(async () => {
    await objects.close()
    removePlainRepositories()
  })

  const packedRefs = () => join(repo.gitDir, 'packed-refs')
  function pack(): void {
    repo.git('pack-refs', '--all', '--prune')
    expect(readFileSync(packedRefs(), 'latin1')).to.match(/^# pack-refs/)
  }
  function editPackedRefs(edit: (text: string) => string): void {
    writeFileSync(packedRefs(), edit(readFileSync(packedRefs(), 'latin1')))
  }

  it('are listed as by git, loose or packed, with tags of tags peeled', async () => {
    repo.write('file', 'one')
    const one = repo.commit('one')
    repo.git('tag', '-a', '-m', 'a tag', 'annotated', one)
    repo.git('tag', '-a', '-m', 'a tag of a tag', 'nested', 'annotated')
    repo.git('tag', 'light')
    repo.git('tag', 'blob', `${one}:file`)
    repo.git('update-ref', 'refs/notes/kept', one)
    pack()
    repo.write('file', 'two')
    const two = repo.commit('two')
    repo.git('tag', 'loose', one)

    const listed = (await listRefs(repo.gitDir, objects)).flatMap(({ name, oid, peeled }) => [
      `${oid} ${name}`,
      ...(peeled === undefined ? [] : [`${peeled} ${name}^{}`]),
    ])

    expect(listed).to.deep.equal(repo.git('show-ref', '--dereference').split('\n'))
    expect(listed).to.include(`${two} refs/heads/main`)
    expect(listed).to.include(`${one} refs/tags/nested^{}`)
  })

  it('are read while git removes empty folders of refs', async () => {
    const one = repo.commit('one')
    const folders = Array.from({ length: 20 }, (_, index) =>
      join(repo.gitDir, 'refs', 'heads', `folder-${index}`),
    )
    for (let round = 0; round < 20; round++) {
      for (const folder of folders) mkdirSync(folder)
      const reading = readAllRefs(repo.gitDir)
      for (const folder of folders) {
        await setImmediate()
        rmdirSync(folder)
      }

      expect((await reading).get('refs/heads/main')).to.equal(one)
    }
  })

  it('are found and listed by names that are not ASCII, loose or packed', async () => {
    const one = repo.commit('one')
    repo.git('tag', 'à')
    repo.git('branch', 'größe')
    for (const state of ['loose', 'packed']) {
      if (state === 'packed') pack()
      expect(readRef(repo.gitDir, 'refs/tags/à'), state).to.equal(one)
      expect(
        (await listRefs(repo.gitDir, objects)).map(({ name }) => name),
        state,
      ).to.deep.equal(['refs/heads/größe', 'refs/heads/main', 'refs/tags/à'])
    }
  })

  it('are found only by their whole name', () => {
    const one = repo.commit('one')
    repo.git('tag', '-a', '-m', 'a tag', 'annotated', one)
    repo.git('branch', 'other/refs/heads/side')
    pack()

    expect(readRef(repo.gitDir, 'refs/heads/main')).to.equal(one)
    expect(readRef(repo.gitDir, 'refs/tags/annotated')).to.equal(repo.git('rev-parse', 'annotated'))
    for (const name of ['refs/heads/side', 'refs/heads/mai', 'heads/main', 'sorted', ''])
      expect(readRef(repo.gitDir, name), name).to.equal(undefined)
  })

  it('that are packed and malformed cause errors for a read, and are not listed', async () => {
    const one = repo.commit('one')
    repo.git('branch', 'side')
    pack()
    editPackedRefs(text => text.replace(/^\w+( refs\/heads\/side)$/m, 'garbage$1'))

    expect(() => readRef(repo.gitDir, 'refs/heads/side')).to.throw(RangeError)
    expect(await listRefs(repo.gitDir, objects)).to.deep.equal([{ name: 'refs/heads/main', oid: one }])
    expect([...(await readAllRefs(repo.gitDir)).keys()]).to.deep.equal(['refs/heads/main'])
  })

  it('are complete if the file of packed refs ends early', async () => {
    const one = repo.commit('one')
    repo.git('branch', 'side')
    pack()
    editPackedRefs(text => text.slice(0, -'s/heads/side\n'.length))

    expect(await listRefs(repo.gitDir, objects)).to.deep.equal([{ name: 'refs/heads/main', oid: one }])
  })

  it('that are tags are not branches', () => {
    const one = repo.commit('one')
    repo.git('tag', '-a', '-m', 'a tag', 'annotated')
    pack()
    expect(hasBranches(repo.gitDir)).to.equal(true)

    repo.git('update-ref', '-d', 'refs/heads/main', one)
    rmSync(join(repo.gitDir, 'refs', 'heads', 'main'), { force: true })
    expect(hasBranches(repo.gitDir)).to.equal(false)
  })
})
