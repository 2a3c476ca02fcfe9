package judge

// rules judge the commands that are known to matter, by name. They record
// rows; whether a command is safe is another list's matter (see safe). Filled
// in init, since some rules run others.
var rules = map[string]func(*floor, *call){}

func init() {
	for _, g := range []struct {
		names string
		rule  func(*floor, *call)
	}{
		{"rm rmdir unlink shred srm trash trash-put rimraf del del-cli erase", (*floor).remove},
		{"cp mv install gcp gmv", (*floor).copyFiles},
		{"ln link gln", (*floor).link},
		{"touch mkdir mkfifo mknod truncate sponge rename", (*floor).writeAll},
		{"tee", (*floor).tee},
		{"chmod gchmod", (*floor).chmod},
		{"dd", (*floor).dd},
		{"test [", (*floor).testCommand},
		{"fd fdfind", (*floor).fd},
		{"rg", (*floor).rg},
		{"sed gsed", (*floor).sed},
		{"awk gawk mawk nawk", (*floor).awk},
		{"tar bsdtar gtar", (*floor).tar},
		{"unzip 7z 7za unrar", (*floor).unpack},
		{"zip", (*floor).archive},
		{"patch", (*floor).patch},
		{"sort shuf gcc g++ cc clang clang++ ld pandoc tree csplit", (*floor).outputs},
		{"split uniq", (*floor).secondWritten},

		{"kill killall pkill", (*floor).kill},
		{"systemctl service launchctl", (*floor).service},
		{"crontab", (*floor).crontab},
		{"sysctl", (*floor).sysctl},
		{"date", (*floor).date},
		{"mount", operandsAre("disk")},
		{"ifconfig ip route arp nmcli tc brctl", (*floor).networkSetup},
		{"newgrp capsh sg", always("escalate")},
		{"man", (*floor).man},
		{"umask", operandsAre("permission-mask")},
		{"docker podman nerdctl", (*floor).container},
		{`mkfs mke2fs mkswap swapon swapoff fdisk sfdisk cfdisk gdisk sgdisk parted partprobe wipefs blkdiscard hdparm umount losetup
			cryptsetup lvcreate lvremove lvresize vgremove vgcreate pvremove pvcreate zpool zfs mdadm diskutil fsck tune2fs resize2fs badblocks
			debugfs e2label dmsetup format diskpart nvme eject hdiutil btrfs`, always("disk")},
		{`shutdown reboot halt poweroff init telinit insmod rmmod modprobe depmod kexec iptables ip6tables nft ufw firewall-cmd pfctl
			useradd userdel usermod adduser deluser groupadd groupdel groupmod gpasswd passwd chpasswd chsh chfn visudo vipw
			update-alternatives setenforce auditctl timedatectl hostnamectl hwclock nvram bcdedit ldconfig ebtables csrutil spctl dscl
			sysadminctl scutil tmutil systemsetup networksetup grub-install update-grub efibootmgr vssadmin cipher reg sc`, always("system")},
		{"at batch systemd-run update-rc.d chkconfig schtasks", always("persistence")},
		{"chown chgrp setfacl chattr chflags setfattr setcap icacls takeown", always("permission-mask")},

		{"curl", (*floor).curl},
		{"wget aria2c axel", (*floor).wget},
		{"http https xh", (*floor).httpie},
		{"nc ncat netcat telnet", (*floor).netcat},
		{"socat", (*floor).socat},
		{"ssh mosh", (*floor).ssh},
		{"scp sftp rsync", (*floor).remoteCopy},
		{"http-server serve ngrok cloudflared localtunnel", always("net-upload")},
		{"openssl", (*floor).openssl},
		{"ssh-copy-id", always("net-upload")},
		{"ftp lftp ping dig nslookup host nmap traceroute whois lynx w3m links", (*floor).anyHost},
		{"rclone mail sendmail mutt", (*floor).netOnly},

		{"npm pnpm yarn bun", (*floor).npm},
		{"pip pip3", (*floor).pip},
		{"uv poetry pdm rye hatch pipenv bundle composer", (*floor).runner},
		{"gem", (*floor).gem},
		{"cargo", (*floor).cargo},
		{"go", (*floor).goTool},
		{"apt apt-get aptitude dnf yum microdnf pacman yay paru apk zypper brew port snap flatpak dpkg rpm choco winget scoop nix-env emerge pkg opkg softwareupdate", (*floor).systemPackages},
		{"twine", always("pkg-publish")},

		{"git", (*floor).git},
		{"git-filter-repo git-filter-branch bfg", always("git-history")},

		{`python python2 python3 pypy pypy3 node nodejs deno perl ruby php lua luajit rscript tclsh osascript ts-node tsx groovy scala julia guile
			elixir erl ghc`, (*floor).interpreter},
		{"ed ex vi vim nvim emacs gdb lldb expect m4", always("inline-code")},
		{"make gmake", (*floor).make},

		{"kubectl helm terraform tofu pulumi aws gcloud az heroku fly flyctl vercel netlify wrangler doctl gsutil mysqladmin gh glab", (*floor).cloud},
		{"dropdb dropuser", always("destroy-service")},
		{"psql mysql mariadb sqlite3 mongosh mongo redis-cli clickhouse-client", (*floor).database},

		{"printenv security pass op vault gpg secret-tool history", always("secret-read")},
	} {
		for _, name := range words(g.names) {
			rules[name] = g.rule
		}
	}
}

// always is the rule of a command that has no harmless use here.
func always(row string) func(*floor, *call) {
	if row == "secret-read" {
		return func(f *floor, _ *call) { f.sawSecret() }
	}
	return func(f *floor, _ *call) { f.hit(row) }
}

// operandsAre is the rule of a command that only shows when it is bare.
func operandsAre(row string) func(*floor, *call) {
	return func(f *floor, c *call) {
		if len(parseOptions(c.args, "S p l v h V").rest) > 0 {
			f.hit(row)
		}
	}
}
