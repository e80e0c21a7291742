// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import type { Collection } from '../../../src/core/records/collection.js'
import type { Id } from '../../../src/core/value-types.js'
import {
  decodeId,
  documentFileName,
  documentTypeOfFile,
  encodeId,
  findCaseFoldClash,
  findFilePathFault,
  idOfDirectory,
  parseRecordPath,
  recordDirectory,
} from '../../../src/store/records/repository-layout.js'

/** Random ids, and ids that are difficult for file systems. */
const anyId = fc
  .oneof(
    fc.stringMatching(/^[A-Za-z0-9.*_-]{1,200}$/),
    fc.stringMatching(/^[A-Za-z*.-]{1,4}$/),
    fc.stringMatching(/^[A-Z*]{150,200}$/),
    fc
      .tuple(
        fc.constantFrom('con', 'PRN', 'Aux', 'nul', 'com1', 'lpt9'),
        fc.stringMatching(/^(\.[a-zA-Z.]{0,3})?$/),
      )
      .map(parts => parts.join('')),
    fc.uuid(),
  )
  .filter(text => text.length <= 200 && !/^\.+$/.test(text)) as fc.Arbitrary<Id>

const kinds: readonly Collection[] = ['schema', 'metadata']

describe('the directory name of an id', () => {
  it('is different for each id, also on case-insensitive file systems', () => {
    fc.assert(
      fc.property(anyId, anyId, (a, b) => {
        fc.pre(a !== b)
        expect(encodeId(a).toLowerCase()).not.to.equal(encodeId(b).toLowerCase())
      }),
    )
  })

  it('is different for ids that differ in a single letter or its case', () => {
    fc.assert(
      fc.property(anyId, fc.nat(), fc.constantFrom(...'aAbB.-*_0=c3'), (id, random, other) => {
        const at = random % id.length
        const near = `${id.slice(0, at)}${other}${id.slice(at + 1)}` as Id
        fc.pre(near !== id && /^[A-Za-z0-9.*_-]+$/.test(near) && !/^\.+$/.test(near))
        expect(encodeId(near).toLowerCase()).not.to.equal(encodeId(id).toLowerCase())
      }),
    )
  })

  it('can be decoded to the id, unless it is hashed', () => {
    fc.assert(
      fc.property(anyId, id => {
        const name = encodeId(id)
        expect(decodeId(name)).to.equal(name.startsWith('=~') ? undefined : id)
      }),
    )
  })

  it('belongs to exactly one id: other spellings are refused', () => {
    for (const name of ['A', '=61', '=2A', 'x.', '-x', '.x', 'con', '=', 'a=', '=~00', 'a/b', '', '..']) {
      expect(decodeId(name), name).to.equal(undefined)
    }
  })

  it('is safe on every file system', () => {
    fc.assert(
      fc.property(anyId, id => {
        const name = encodeId(id)
        expect(name).to.match(/^[a-z0-9_=~.-]{1,200}$/)
        expect(name).not.to.match(/^[.-]|\.$/)
        expect(name).not.to.match(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/)
        expect(name).not.to.match(/^\.?git$|^git~/)
      }),
    )
  })

  const examples: readonly (readonly [string, string])[] = [
    ['dc', 'dc'],
    ['My_DC', '=my_=d=c'],
    ['a*b', 'a=2ab'],
    ['-x', '=2dx'],
    ['.git', '=2egit'],
    ['v1.', 'v1=2e'],
    ['con', '=63on'],
    ['con.json', '=63on.json'],
    ['Con', '=con'],
    ['1f6c0d4e-0000-4000-8000-000000000000', '1f6c0d4e-0000-4000-8000-000000000000'],
  ]
  for (const [id, name] of examples) {
    it(`is ${name} for ${id}`, () => {
      expect(encodeId(id as Id)).to.equal(name)
    })
  }
})

describe('the directory of a record', () => {
  it('has the collection and the id in its path', () => {
    fc.assert(
      fc.property(anyId, fc.constantFrom(...kinds), (id, kind) => {
        const directory = recordDirectory(kind, id)
        const parts = directory.split('/')
        expect(parts).to.have.length(kind === 'schema' ? 2 : 6)
        expect(parts.every(part => part !== '' && part !== '.' && part !== '..')).to.equal(true)
        expect(parseRecordPath(`${directory}/record.json`)).to.deep.equal({
          kind,
          directory,
          file: 'record.json',
        })
        expect(idOfDirectory(kind, directory)).to.equal(encodeId(id).startsWith('=~') ? undefined : id)
      }),
    )
  })

  it('is below a folder of four digits: of the UUID, or of the SHA-1 of another id', () => {
    expect(recordDirectory('metadata', 'abcd0d4e-0000-4000-8000-000000000000' as Id)).to.match(
      /^metadata\/a\/b\/c\/d\//,
    )
    // The digits come from: printf dc | sha1sum
    expect(recordDirectory('metadata', 'dc' as Id)).to.equal('metadata/1/3/2/1/dc')
  })

  it('has no id if it is in a wrong place', () => {
    expect(idOfDirectory('metadata', 'metadata/0/0/0/0/dc')).to.equal(undefined)
    expect(idOfDirectory('schema', 'schemas/DC')).to.equal(undefined)
  })
})

describe('a path of the tree', () => {
  it('belongs to one record or to none', () => {
    expect(parseRecordPath('README.md')).to.equal(undefined)
    expect(parseRecordPath('schemas/README.md')).to.equal(undefined)
    expect(parseRecordPath('metadata/a/b/c/d/README.md')).to.equal(undefined)
    expect(parseRecordPath('metadata/record.json')).to.equal(undefined)
    for (const directory of ['metadata/doc', 'metadata/4/4/doc']) {
      for (const file of ['record.json', 'document.xml'])
        expect(parseRecordPath(`${directory}/${file}`)).to.deep.equal({ kind: 'metadata', directory, file })
    }
    expect(parseRecordPath('schemas/dc/include/common.xsd')).to.deep.equal({
      kind: 'schema',
      directory: 'schemas/dc',
      file: 'include/common.xsd',
    })
  })

  it('is the path of a document if it has the name of one', () => {
    expect(documentTypeOfFile('schema', documentFileName('schema', 'XML'))).to.equal('XML')
    expect(documentTypeOfFile('metadata', documentFileName('metadata', 'JSON'))).to.equal('JSON')
    expect(documentTypeOfFile('metadata', 'schema.json')).to.equal(undefined)
    expect(documentTypeOfFile('schema', 'constructor')).to.equal(undefined)
  })
})

describe('the path of a further file of a schema', () => {
  for (const path of [
    'common.xsd',
    'include/datacite-v4.xsd',
    'a b/c.json',
    'schema.json.txt',
    'x/schema.json',
    'x/record.json',
    'console.json',
    'com.json',
    'com10',
    'a.con',
    'conin.xsd',
    '19115/-3/mdb/2.0/mdb.xsd',
    '-a/b.xsd',
    '--b/c',
    'git~1-notes.xsd',
  ]) {
    it(`may be ${path}`, () => {
      expect(findFilePathFault(path)).to.equal(undefined)
    })
  }

  const bad = [
    '',
    '/',
    '/etc/passwd',
    '../x',
    'a/../b',
    'a//b',
    'a/',
    './a',
    'a\\b',
    'C:/x',
    'a:b',
    'a*',
    'a?',
    'a\nb',
    'a\0b',
    'é.xsd',
    '.git/config',
    '.gitattributes',
    'a/.git',
    'git~1',
    'GIT~2/x',
    'con',
    'a/NUL.txt',
    'com1.xsd',
    'LPT0',
    'COM¹.json',
    'lpt³',
    'CONIN$',
    'conout$.xsd',
    'Clock$.json',
    'aux .json',
    'prn.tar.gz',
    'a/CON/b.xsd',
    'a.',
    'a ',
    '-a',
    'a/-b.xsd',
    ' a',
    'record.json',
    'RECORD.JSON',
    'schema.json',
    'Schema.XSD',
    'schema.xsd/x',
    'x'.repeat(201),
    'x/'.repeat(250).concat('x'),
  ]
  for (const path of bad) {
    it(`may not be ${JSON.stringify(path.slice(0, 40))}`, () => {
      expect(findFilePathFault(path)).to.be.a('string')
    })
  }

  it('is valid only below the document and if git accepts it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webPath(), fc.stringMatching(/^[./~a-cA-C -]{1,8}$/)), path => {
        fc.pre(findFilePathFault(path) === undefined)
        const parts = path.split('/')
        expect(
          parts.every(part => /^[^. ]/.test(part) && /[^. ]$/.test(part) && part.length <= 255),
        ).to.equal(true)
        expect(new URL(path.replaceAll(' ', '%20'), 'file:///base/').pathname.startsWith('/base/')).to.equal(
          true,
        )
      }),
    )
  })
})

describe('paths that exclude each other in a folder', () => {
  const clashes: readonly (readonly string[])[] = [
    ['a', 'A'],
    ['x/a', 'x/A'],
    ['x/a', 'X/b'],
    ['a', 'a/b'],
    ['a/b', 'a'],
    ['a/b', 'A'],
    ['a', 'a'],
    ['ok', 'dir/one', 'dir/two', 'DIR/three'],
  ]
  for (const paths of clashes) {
    it(`include ${paths.join(' and ')}`, () => {
      expect(findCaseFoldClash(paths)).to.have.length(2)
    })
  }

  const together: readonly (readonly string[])[] = [
    [],
    ['a'],
    ['a', 'b'],
    ['a/b', 'a/c'],
    ['ab/c', 'a/c'],
    ['a/b/c', 'a/b/d', 'a/e'],
  ]
  for (const paths of together) {
    it(`do not include ${paths.join(' and ') || 'an empty list'}`, () => {
      expect(findCaseFoldClash(paths)).to.equal(undefined)
    })
  }
})
