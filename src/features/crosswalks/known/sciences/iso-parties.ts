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

const personal = (names: PartyNames) => ({
  nameType: constant('Personal'),
  ...(names.identifier !== undefined && { nameIdentifiers: names.identifier }),
  ...(names.organisation !== undefined && {
    affiliation: { name: isoText(names.organisation) },
  }),
})

/** Persons with their organisation. Documents often have an empty element for a person who is not named. */
function persons(each: string, where: object, names: PartyNames, more: object): readonly object[] {
  const text = `${names.individual}.CharacterString`
  const anchor = `${names.individual}.Anchor`
  return [
    {
      each,
      where: { ...where, [`${text}[0]`]: true, [text]: { not: '' } },
      name: text,
      ...personal(names),
      ...more,
    },
    {
      each,
      where: { ...where, [anchor]: true },
      name: anchor,
      ...personal(names),
      nameIdentifiers: `${anchor}.@href`,
      ...more,
    },
  ]
}

/** Organisations without a named person. */
function organisations(
  each: string,
  where: object,
  { individual, organisation }: PartyNames,
  more: object,
): readonly object[] {
  if (organisation === undefined) return []
  const text = `${individual}.CharacterString`
  return [{ [text]: false, [`${individual}.Anchor`]: false }, { [text]: '' }].map(unnamed => ({
    each,
    where: { ...where, ...unnamed },
    name: isoText(organisation),
    nameType: constant('Organizational'),
    nameIdentifiers: `${organisation}.Anchor.@href`,
    ...more,
  }))
}

/** The agents among the parties whose role is one of these. */
export function isoParties(
  each: string,
  roles: readonly string[],
  all: readonly PartyNames[],
  more: object = {},
): readonly object[] {
  const where = { [role]: roles }
  return all.flatMap(names => [
    ...persons(each, where, names, more),
    ...organisations(each, where, names, more),
  ])
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
