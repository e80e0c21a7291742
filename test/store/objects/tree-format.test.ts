// test-schedule: quick
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { hashObject } from '../../../src/store/objects/hash-object.js'
import { MalformedObject } from '../../../src/store/objects/object-errors.js'
import {
  fileMode,
  findTreeEntry,
  parseTree,
  setTreeEntry,
  treeEntries,
  treeMode,
} from '../../../src/store/objects/tree-format.js'
import { plainRepository, removePlainRepositories } from '../../support/repository/plain-git-repository.js'

const blob = hashObject('blob', Buffer.from('content'))
const folder = hashObject('tree', Buffer.alloc(0))

describe('trees', () => {
  afterEach(removePlainRepositories)

  it('are read as git reads them', () => {
    const repo = plainRepository()
    repo.write('a/b', 'content')
    repo.write('a.txt', 'content')
    repo.write('größe', 'content')
    repo.git('add', '-A')
    repo.git('update-index', '--chmod=+x', 'a.txt')
    repo.git('update-index', '--add', '--cacheinfo', `160000,${blob},module`)
    const tree = repo.git('write-tree')
    const bytes = execFileSync('git', ['-C', repo.dir, 'cat-file', 'tree', tree])
    const listed = repo.git('-c', 'core.quotePath=false', 'ls-tree', tree).split('\n')

    const read = parseTree(bytes).map(
      ({ mode, oid, textName }) => `${mode.padStart(6, '0')} ${oid}\t${textName}`,
    )

    expect(read).to.deep.equal(listed.map(line => line.replace(/^(\d+) \w+/, '$1')))
    expect([...treeEntries(bytes)].map(({ name }) => Buffer.from(name, 'latin1').toString())).to.deep.equal([
      'a.txt',
      'a',
      'größe',
      'module',
    ])
  })

  const whole = [
    ['one', { mode: fileMode, oid: blob }],
    ['two', { mode: treeMode, oid: folder }],
  ] as const
  const tree = whole.reduce(
    (bytes: Buffer, [name, entry]) => setTreeEntry(bytes, name, entry),
    Buffer.alloc(0),
  )

  for (const missing of [1, 19, 20, 24, 27, 29])
    it(`that lack their last ${missing} bytes are damaged for every function`, () => {
      const cut = tree.subarray(0, -missing)
      for (const use of [
        () => parseTree(cut),
        () => [...treeEntries(cut)],
        () => findTreeEntry(cut, 'two'),
        () => setTreeEntry(cut, 'zoo', { mode: fileMode, oid: blob }),
      ])
        expect(use).to.throw(MalformedObject)
    })

  it('with another text in place of a mode are damaged', () => {
    const damaged = Buffer.concat([Buffer.from('10x644 one\0'), Buffer.alloc(20)])
    expect(() => parseTree(damaged)).to.throw(MalformedObject)
    expect(() => findTreeEntry(damaged, 'one')).to.throw(MalformedObject)
  })

  it('of old programs, with a zero before the mode of a folder, are read and edited like other trees', () => {
    const padded = Buffer.concat([Buffer.from('040000 a\0'), Buffer.from(folder, 'hex')])
    expect(findTreeEntry(padded, 'a')).to.deep.equal({ mode: treeMode, oid: folder })
    expect(parseTree(padded)).to.deep.equal([{ textName: 'a', mode: treeMode, oid: folder }])
    // Git sorts the folder `a` as `a/`, so that `a.` precedes it.
    const names = [...treeEntries(setTreeEntry(padded, 'a.', { mode: fileMode, oid: blob }))]
    expect(names.map(({ name }) => name)).to.deep.equal(['a.', 'a'])
    const changed = setTreeEntry(padded, 'a', { mode: treeMode, oid: folder })
    expect(changed.toString('latin1', 0, 8)).to.equal('40000 a\0')
  })
})
