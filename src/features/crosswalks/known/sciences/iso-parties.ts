/*
 * Responsible parties of ISO 19139 and ISO 19115-3.
 */

const constant = (text: string) => ({ constant: text })

/** Texts of ISO 19139 and 19115-3 are in an element that says their type. */
export function isoText(path: string): object {
  const at = path === '.' ? '' : `${path}.`
  return { first: [`${at}CharacterString`, `${at}Anchor`] }
}

/** Where a party has its names, in paths below its element. */
export interface PartyNames {
  readonly individual: string
  readonly organisation?: string
  readonly identifier?: string
  readonly organisationIdentifier?: string
}

const role = 'role.CI_RoleCode.@codeListValue'

/** Contributors of DataCite by role. Authors and their like are creators. */
export const contributorRoles = {
  pointOfContact: 'ContactPerson',
  custodian: 'DataManager',
  distributor: 'Distributor',
  owner: 'RightsHolder',
  rightsHolder: 'RightsHolder',
  processor: 'DataCurator',
  editor: 'Editor',
  sponsor: 'Sponsor',
  funder: 'Sponsor',
  contributor: 'Other',
  collaborator: 'Other',
}
export const contributorType = { path: role, values: contributorRoles, only: true }

/** ISO 19139 has no place for identifiers of people. Some write them as a link of the contact. */
const orcidOfContact = {
  each: 'contactInfo.CI_Contact.onlineResource.CI_OnlineResource',
  where: { 'protocol.CharacterString': 'ORCID' },
  nameIdentifier: 'linkage.URL',
}

/** A person with the organisation. */
const person = ({ individual, organisation, identifier }: PartyNames) => ({
  name: isoText(individual),
  nameType: constant('Personal'),
  nameIdentifiers: [`${individual}.Anchor.@href`, identifier ?? orcidOfContact],
  ...(organisation !== undefined && { affiliation: { name: isoText(organisation) } }),
})

/** An organisation without a named person. */
const organisation = (name: string, identifier?: string) => ({
  name: isoText(name),
  nameType: constant('Organizational'),
  nameIdentifiers: [`${name}.Anchor.@href`, ...(identifier === undefined ? [] : [identifier])],
})

/** The agents among the parties whose role is one of these, in the order of the document. */
export function isoParties(
  each: string,
  roles: readonly string[],
  all: readonly PartyNames[],
  more: object = {},
): object {
  const organisations = all.flatMap(({ organisation: name, organisationIdentifier }) =>
    name === undefined ? [] : organisation(name, organisationIdentifier),
  )
  const agents = [...all.map(person), ...organisations]
  return { each, first: agents.map(agent => ({ each: '.', where: { [role]: roles }, ...agent, ...more })) }
}

/** The names of the organisation or else the person with one of these roles, for a publisher. */
export function isoNames(
  each: string,
  roles: readonly string[],
  all: readonly PartyNames[],
): readonly object[] {
  const paths = all.flatMap(({ individual, organisation }) => [
    ...(organisation === undefined ? [] : [organisation]),
    individual,
  ])
  return [{ each, where: { [role]: roles }, name: { first: paths.map(isoText) } }]
}
