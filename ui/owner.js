export default function ({ setStateValue }) {
  let key = "";
  try {
    key = localStorage.getItem("rulekit_owner") || "";
    if (!/^[0-9a-f]{48}$/.test(key)) {
      const bytes = crypto.getRandomValues(new Uint8Array(24));
      key = Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
      localStorage.setItem("rulekit_owner", key);
    }
  } catch { return; }  // storage is switched off: no list
  setStateValue("key", key);
}
