import { Store } from 'n3'
import SHACLValidator from 'rdf-validate-shacl'
import { readTurtle } from './read-rdf.js'

/*
 * Shapes for the classes and properties of PROV-O that a history uses, with their domains and ranges.
 * @see https://www.w3.org/TR/prov-o/#cross-reference
 */

/** The properties of each class, and the constraints of their values. */
const properties = {
  Entity: {
    'prov:specializationOf': 'sh:class prov:Entity ; sh:maxCount 1',
    'prov:wasRevisionOf': 'sh:class prov:Entity ; sh:maxCount 1',
    'prov:generatedAtTime': 'sh:datatype xsd:dateTime ; sh:maxCount 1',
    'prov:wasGeneratedBy': 'sh:class prov:Activity',
    'prov:wasInvalidatedBy': 'sh:class prov:Activity',
  },
  Activity: {
    'prov:endedAtTime': 'sh:datatype xsd:dateTime ; sh:minCount 1 ; sh:maxCount 1',
    'prov:wasAssociatedWith': 'sh:class prov:Agent ; sh:minCount 1',
    // The value is an entity in the history of another record.
    'prov:used': 'sh:nodeKind sh:IRI',
    'rdfs:label': 'sh:datatype xsd:string ; sh:minCount 1 ; sh:maxCount 1',
  },
  Agent: {
    'prov:actedOnBehalfOf': 'sh:class prov:Agent',
    'prov:qualifiedDelegation': 'sh:class prov:Delegation',
    'rdfs:label': 'sh:datatype xsd:string ; sh:minCount 1 ; sh:maxCount 1',
  },
  Delegation: {
    'prov:agent': 'sh:class prov:Agent ; sh:minCount 1',
    'prov:hadActivity': 'sh:class prov:Activity ; sh:maxCount 1',
  },
} as const

const prefixes = `
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
`

/** A statement that every graph implies. */
const ontology = 'prov:SoftwareAgent rdfs:subClassOf prov:Agent .'

const shapes = Object.entries(properties).map(([name, ranges]) => {
  const values = Object.entries(ranges).map(([path, range]) => `sh:property [ sh:path ${path} ; ${range} ]`)
  const own = Object.keys(ranges).filter(path => path.startsWith('prov:'))
  const domains = own.map(path => `[] a sh:NodeShape ; sh:targetSubjectsOf ${path} ; sh:class prov:${name} .`)
  return `[] a sh:NodeShape ; sh:targetClass prov:${name} ; sh:closed true ; sh:ignoredProperties (rdf:type) ;
    ${values.join(' ;\n')} .\n${domains.join('\n')}`
})

const validator = new SHACLValidator(new Store(readTurtle(prefixes + shapes.join('\n'))) as never, {
  importGraph: () => new Store() as never,
})

/** Validates a Turtle text with these shapes. @returns faults */
export async function faultsOfProvenance(turtle: string): Promise<readonly string[]> {
  const { results } = await validator.validate(new Store(readTurtle(prefixes + ontology + turtle)) as never)
  return results.map(({ path, focusNode, message }) =>
    [focusNode?.value, path?.toString(), message.map(({ value }) => value)].join(' '),
  )
}
