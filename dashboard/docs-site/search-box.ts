import { type DocsSection, type FoundSection, findSections } from './find-sections.ts'

type Parts = { input: HTMLInputElement; list: HTMLElement }

/** Asked for once, when somebody first looks for something. */
let sections: Promise<readonly DocsSection[]> | null = null

/** Makes the search box of the page work: `/` goes to it, arrows and Enter choose. */
export function openSearch(): void {
  const input = document.querySelector<HTMLInputElement>('#find')
  const list = document.querySelector<HTMLElement>('#found')
  if (!input || !list) return
  const parts = { input, list }
  input.addEventListener('focus', () => void readSections())
  input.addEventListener('input', () => void showFound(parts))
  input.addEventListener('keydown', (event) => onKey(parts, event))
  input.addEventListener('blur', () => requestAnimationFrame(() => closeUnlessWithin(parts)))
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return
    event.preventDefault()
    input.focus()
  })
}

function readSections(): Promise<readonly DocsSection[]> {
  const address = document.documentElement.dataset.search ?? ''
  sections ??= fetch(address).then((response) => response.json())
  return sections
}

async function showFound({ input, list }: Parts): Promise<void> {
  const asked = input.value
  const found = findSections(await readSections(), asked)
  if (asked !== input.value) return
  list.replaceChildren(...found.map(optionFor))
  if (found.length === 0 && asked.trim()) list.append(nothingFound())
  setOpen({ input, list }, asked.trim() !== '')
  choose({ input, list }, 0)
}

function optionFor({ section: [path, page, heading], excerpt }: FoundSection, at: number) {
  const link = document.createElement('a')
  link.id = `found-${at}`
  link.role = 'option'
  link.href = path
  link.tabIndex = -1
  link.append(line('b', heading), line('small', page), line('span', excerpt))
  return link
}

function line(tag: string, text: string): HTMLElement {
  const element = document.createElement(tag)
  element.textContent = text
  return element
}

function nothingFound(): HTMLElement {
  const item = document.createElement('p')
  item.className = 'none'
  item.textContent = 'Nothing has all of these words.'
  return item
}

function onKey(parts: Parts, event: KeyboardEvent): void {
  const { input, list } = parts
  const options = [...list.querySelectorAll<HTMLAnchorElement>('[role="option"]')]
  const at = options.findIndex((option) => option.ariaSelected === 'true')
  if (event.key === 'Escape') close(parts)
  if (event.key === 'Enter') options[at]?.click()
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  event.preventDefault()
  const step = event.key === 'ArrowDown' ? 1 : -1
  choose({ input, list }, (at + step + options.length) % Math.max(1, options.length))
}

function choose({ input, list }: Parts, wanted: number): void {
  const options = [...list.querySelectorAll<HTMLAnchorElement>('[role="option"]')]
  for (const [at, option] of options.entries()) {
    option.ariaSelected = String(at === wanted)
    if (at === wanted) option.scrollIntoView({ block: 'nearest' })
  }
  const chosen = options[wanted]
  if (chosen) input.setAttribute('aria-activedescendant', chosen.id)
  else input.removeAttribute('aria-activedescendant')
}

function close(parts: Parts): void {
  parts.input.value = ''
  setOpen(parts, false)
}

/** A click into the list takes the focus from the box before it is a click. */
function closeUnlessWithin(parts: Parts): void {
  if (!parts.list.contains(document.activeElement)) setOpen(parts, false)
}

function setOpen({ input, list }: Parts, isOpen: boolean): void {
  list.hidden = !isOpen
  input.ariaExpanded = String(isOpen)
}
