/** A number for a person: about three digits, thousands apart, no trailing zeros. 3090.9 is `3,091`, 49.44 is `49.4`, 0.25 is `0.25`. */
export function figure(value: number): string {
  const size = Math.abs(value)
  if (size >= 100)
    return Math.round(value)
      .toString()
      .replace(/\B(?=(\d{3})+$)/g, ',')
  if (size === 0) return '0'
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(size)))
  const text = value.toFixed(Math.min(decimals, 20))
  // Of 99.9999999999 the logarithm is 2, and there is no decimal to cut.
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** `1 point`, `2 points`. */
export function counted(count: number, one: string): string {
  const told = figure(count)
  return `${told} ${one}${told === '1' ? '' : 's'}`
}

/** A change or a share in whole percent: 0.6 is `60 %`; below 10 % one decimal where it says something. */
export function percent(share: number): string {
  const value = 100 * share
  return `${Math.abs(value) < 10 ? value.toFixed(1).replace(/\.0$/, '') : figure(Math.round(value))} %`
}
