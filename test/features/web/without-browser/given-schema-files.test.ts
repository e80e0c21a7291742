// test-schedule: quick
import { expect } from 'chai'
import {
  furtherFiles,
  givenFile,
  guessId,
  guessLanguage,
  guessMainFile,
  guessTitle,
  isSchemaFile,
} from '../../../../src/features/web/browser/schemas/given-schema-files.js'

function mainOf(files: Readonly<Record<string, string>>): string | undefined {
  return guessMainFile(Object.entries(files).map(([path, text]) => ({ path, text })))
}

describe('The files of a schema that a person gives', () => {
  it('have as the main one that to which no other refers', () => {
    const include = '<xs:include schemaLocation="include/types.xsd"/>'
    expect(
      mainOf({
        'k/include/types.xsd': '<xs:schema/>',
        'k/metadata.xsd': include,
        'k/include/a.xsd': '<xs:schema/>',
      }),
    ).to.equal('k/metadata.xsd')
    expect(mainOf({ 'a.json': '{}', 'z.json': '{"$ref": "a.json#/$defs/x"}' })).to.equal('z.json')
    expect(mainOf({ 'sub/z.json': '{"$ref":"../a.json"}', 'a.json': '{}' })).to.equal('sub/z.json')
    expect(mainOf({ 'only.json': '{ broken' })).to.equal('only.json')
    expect(mainOf({})).to.equal(undefined)
  })

  it('have as the main one the nearest to the top, also if they refer to each other', () => {
    const [a, b] = ['{"$ref":"b.json"}', '{"$ref":"a.json"}']
    expect(mainOf({ 'a.json': a, 'b.json': b })).to.equal('a.json')
    expect(mainOf({ 'x/c.json': '{}', 'd.json': '{}' })).to.equal('d.json')
  })

  it('refer to each other also by URLs that end with their names', () => {
    const imported = '<xs:import schemaLocation="https://example.org/2020/xml.xsd"/>'
    expect(mainOf({ 'f/xml.xsd': '<xs:schema/>', 'f/z.xsd': imported })).to.equal('f/z.xsd')
  })

  it('are sent with paths relative to the main one; what is outside of its folder is told', () => {
    const given = ['k/main.xsd', 'k/include/a.xsd', 'other.xsd'].map(path =>
      givenFile(path, new Uint8Array()),
    )
    const { files, outside } = furtherFiles(given, 'k/main.xsd')
    expect([...files.keys()]).to.deep.equal(['include/a.xsd'])
    expect(outside).to.deep.equal(['other.xsd'])
  })

  it('of a folder are those that schemas use', () => {
    const paths = ['a/x.xsd', 'a/x.json', 'a/README.md', 'a/x.dtd']
    expect(paths.filter(isSchemaFile)).to.deep.equal(['a/x.xsd', 'a/x.json', 'a/x.dtd'])
  })

  it('give the language, a title and an id', () => {
    expect(guessLanguage('\uFEFF \n<xs:schema/>')).to.equal('XML')
    expect(guessLanguage('{"$schema":"<"}')).to.equal('JSON')
    expect(guessTitle('{"title":" Rods and Plates "}', 'x/rods.json')).to.equal('Rods and Plates')
    expect(guessTitle('{ broken', 'x/rods.schema.json')).to.equal('rods.schema')
    expect(guessTitle('<xs:schema/>', 'metadata.xsd')).to.equal('metadata')
    expect(guessId('Ränder & Rods, Version 2')).to.equal('rander-rods-version-2')
  })
})
