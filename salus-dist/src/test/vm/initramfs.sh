#!/usr/bin/env bash
# Makes what a small virtual machine boots: initramfs.sh DIR WORD...
# In DIR it leaves vmlinuz and initramfs, whose /init is the one beside this script, and whose /attach is the command WORD...
# The kernel must be Debian's, since this machine's own may have no network block devices.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$1
shift
modules=(virtio_pci virtio_net nbd ext4)
programs=(qemu-nbd mkfs.ext4)

missing=()
command -v qemu-system-x86_64 >/dev/null || missing+=(qemu-system-x86)
command -v qemu-nbd >/dev/null || missing+=(qemu-utils)
command -v busybox >/dev/null || missing+=(busybox-static)
version=
for nbd in /lib/modules/*/kernel/drivers/block/nbd.ko*; do
  candidate=${nbd#/lib/modules/}
  candidate=${candidate%%/*}
  if [[ -f $nbd && -f /boot/vmlinuz-$candidate ]]; then version=$candidate; fi
done
[[ -n $version ]] || missing+=(linux-image-cloud-amd64)
if [[ ${#missing[@]} -gt 0 ]]; then
  echo "the virtual machine needs the Debian packages ${missing[*]}" >&2
  exit 1
fi

root=$dir/root
mkdir -p "$root"/{bin,sbin,dev,proc,sys,tmp,mnt,modules,run,var/lock}
cp "$(command -v busybox)" "$root/bin/busybox"
for name in sh mount umount insmod ip dd sync sha256sum cat echo sleep poweroff seq sed tr grep; do
  ln -s busybox "$root/bin/$name"
done
for program in "${programs[@]}"; do
  file=$(readlink -f "$(command -v "$program")")
  cp "$file" "$root/bin/$program"
  ldd "$file" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$root${library%/*}"
    cp -Ln "$library" "$root$library"
  done
done

# What each module needs, in order; built-in ones are no lines of insmod.
for module in "${modules[@]}"; do
  modprobe --show-depends -S "$version" "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
done | awk '!seen[$0]++' | while read -r file; do
  name=$(basename "$file")
  case $name in
    *.xz) xz -dc "$file" >"$root/modules/${name%.xz}" ;;
    *) cp "$file" "$root/modules/$name" ;;
  esac
  echo "/modules/${name%.xz}" >>"$root/modules/order"
done

cp "$here/init" "$root/init"
printf '#!/bin/sh\n' >"$root/attach"
printf "'%s' " "$@" >>"$root/attach" # no word has a quote
chmod +x "$root/init" "$root/attach"
(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null) | gzip -1 >"$dir/initramfs"
cp "/boot/vmlinuz-$version" "$dir/vmlinuz"
rm -rf "$root"
echo "$version"
